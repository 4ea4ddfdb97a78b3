import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Effort, medianOf, type Row } from './bench.js';
import { COMPILED } from './build.js';
import { HOW_TO_INSTALL, isInstalled, root } from './packages.js';
import { medianRatio } from './side-by-side.js';
import { type Timing, turnsOf } from './turns.js';

/** Work that a process of its own does: `setup` of a file in `contenders/`, called with `input`. */
export interface ProcessWork {
  readonly file: string;
  readonly setup: string;
  readonly input?: unknown;
  /** A peer without which it cannot run. */
  readonly needs?: string;
}

/** One of the implementations to compare, each in its own process. The first is the baseline. */
export interface ProcessContender extends ProcessWork, Pick<Row, 'name' | 'goal'> {
  /** By how many a turn's time is divided: the events, or the polls, of one turn. */
  readonly units: number;
}

/** What the parent asks of a contender's process; see `contenders/main.ts`. */
export type Request = { readonly work: ProcessWork; readonly mode: 'turns' | 'once' } | 'turn';
export type Reply = { readonly ready: true } | Timing | { readonly value: unknown };

const MAIN = `${COMPILED}/main.js`;

/** The time of the process runs fifty times as fast. */
export const FAST_TIME = ['--import', `${COMPILED}/fast-time.js`];

/** A quick run waits for no interval of half a minute. */
export const timeOf = (effort: Effort): readonly string[] => (effort === 'quick' ? FAST_TIME : []);

/**
 * As `sideBySide`, with each contender in a process of its own, so that none
 * pays for another's heap, compiled code or sockets. The median is CPU time per
 * unit, in µs, or elapsed time. Contenders whose peer is not installed get a note.
 */
export async function processesSideBySide(
  contenders: readonly ProcessContender[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  kind: keyof Timing = 'cpuMs',
): Promise<Row[]> {
  const present = contenders.filter(({ needs }) => needs === undefined || isInstalled(needs));
  const children: ChildProcess[] = [];
  try {
    for (const contender of present) {
      const child = started();
      children.push(child);
      await ask(child, { work: workOf(contender), mode: 'turns' });
    }
    const timings: Timing[][] = present.map(() => []);
    for (let round = -warmUp; round < rounds; round += 1) {
      for (const index of turnsOf(round, present.length)) {
        const { wallMs, cpuMs } = (await ask(children[index] as ChildProcess, 'turn')) as Timing;
        const { units } = present[index] as ProcessContender;
        if (round >= 0) timings[index]?.push({ wallMs: wallMs / units, cpuMs: cpuMs / units });
      }
    }
    return contenders.map((contender): Row => {
      const { name, goal } = contender;
      const index = present.indexOf(contender);
      if (index === -1) return { name, note: `${contender.needs} is not installed: ${HOW_TO_INSTALL}` };
      const median = medianOf((timings[index] ?? []).map((timing) => timing[kind] * 1000));
      return { name, median, ratio: medianRatio(timings, index, kind), ...(goal && { goal }) };
    });
  } finally {
    await Promise.all(children.map(ended));
  }
}

/** A process that has finished its setup and goes on until `end`. */
export interface Running<T> {
  /** What the setup has returned. */
  readonly value: T;
  readonly end: () => Promise<void>;
}

/** Runs a setup in a process of its own. */
export async function startProcess<T>(work: ProcessWork, flags: readonly string[] = []): Promise<Running<T>> {
  const child = started(flags);
  const end = () => ended(child);
  try {
    const { value } = (await ask(child, { work, mode: 'once' })) as { readonly value: T };
    return { value, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** What a setup returns, from a process that then ends. */
export async function onceInProcess<T>(work: ProcessWork, flags?: readonly string[]): Promise<T> {
  const { value, end } = await startProcess<T>(work, flags);
  await end();
  return value;
}

/** The same, as a row of a table, which says so if the peer is not installed. */
export async function rowInProcess(
  work: ProcessWork & Pick<Row, 'name' | 'goal'>,
  flags?: readonly string[],
): Promise<Row> {
  const { name, goal, needs } = work;
  if (needs !== undefined && !isInstalled(needs)) {
    return { name, note: `${needs} is not installed: ${HOW_TO_INSTALL}` };
  }
  const value = await onceInProcess<number | string>(workOf(work), flags);
  return typeof value === 'string' ? { name, note: value } : { name, median: value, ...(goal && { goal }) };
}

const workOf = ({ file, setup, input }: ProcessWork): ProcessWork => ({ file, setup, input });

function started(flags: readonly string[] = []): ChildProcess {
  return fork(MAIN, {
    cwd: root,
    execArgv: ['--expose-gc', ...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Sends a request and waits for the reply. @throws the process ended instead. */
async function ask(child: ChildProcess, request: Request): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => {
      child.off('message', onMessage);
      reject(new Error(`a process of the bench ended with ${code}: ${JSON.stringify(request)}`));
    };
    const onMessage = (reply: Reply) => {
      child.off('exit', onExit);
      resolve(reply);
    };
    child.once('exit', onExit);
    child.once('message', onMessage);
    child.send(request);
  });
}
