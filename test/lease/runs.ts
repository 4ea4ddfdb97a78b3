import { existsSync, readFileSync } from 'node:fs';

/** A run in the journal of its process; instants are nanoseconds of the machine's monotonic clock. */
export interface Run {
  readonly eventId: string;
  readonly pid: number;
  readonly fence: number;
  /** When its process checked the lease, if it began the run in the same step; otherwise when it began. */
  readonly checkedAt: bigint;
  readonly from: bigint;
  /** Undefined while it runs. */
  to: bigint | undefined;
  how: 'running' | 'end' | 'refused' | 'killed';
}

/** The journal of one process, read while it grows. */
export class Journal {
  readonly path: string;
  readonly pid: number;
  readonly runs: Run[] = [];
  readonly errors: string[] = [];
  #read = 0;

  constructor(path: string, pid: number) {
    this.path = path;
    this.pid = pid;
  }

  /** Reads the lines that are new. */
  update(): void {
    if (!existsSync(this.path)) return;
    const bytes = readFileSync(this.path);
    const end = bytes.lastIndexOf(10) + 1;
    for (const line of bytes.subarray(this.#read, end).toString().split('\n')) this.#add(line);
    this.#read = end;
  }

  /** The process was killed: its open runs end now. */
  killedAt(at: bigint): void {
    this.update();
    for (const run of this.runs) {
      if (run.how !== 'running') continue;
      run.how = 'killed';
      run.to = at;
    }
  }

  #add(line: string): void {
    const [what, at = '0', ...words] = line.split(' ');
    const [eventId = '', fence, checkedAt = '0'] = words;
    if (what === 'error') this.errors.push(words.join(' '));
    if (what === 'begin') {
      this.runs.push({
        eventId,
        pid: this.pid,
        fence: Number(fence),
        checkedAt: BigInt(checkedAt),
        from: BigInt(at),
        to: undefined,
        how: 'running',
      });
    }
    if (what !== 'end' && what !== 'refused') return;
    const run = this.runs.find((other) => other.eventId === eventId && other.how === 'running');
    if (!run) throw new Error(`${line} in ${this.path} ends a run that has not begun`);
    run.how = what;
    run.to = BigInt(at);
  }
}

/** Pairs of runs of one event whose times overlap, the earlier one first. */
export function overlapsOf(runs: readonly Run[]): (readonly [Run, Run])[] {
  const overlaps: (readonly [Run, Run])[] = [];
  const byEvent = new Map<string, Run[]>();
  for (const run of runs) byEvent.set(run.eventId, [...(byEvent.get(run.eventId) ?? []), run]);
  for (const ofEvent of byEvent.values()) {
    const sorted = ofEvent.sort((a, b) => (a.from < b.from ? -1 : 1));
    sorted.forEach((run, index) => {
      for (const later of sorted.slice(index + 1)) {
        if (run.to === undefined || later.from < run.to) overlaps.push([run, later]);
      }
    });
  }
  return overlaps;
}
