import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './failure.js';

/** A process, told apart from a later one of the same number. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Which start of the machine; empty where the system does not say. */
  readonly boot: string;
  /** In which numbering of processes: a container has its own. */
  readonly namespace: string;
  /** When the process began, in the system's own count. */
  readonly begun: string;
}

/** `unknown`: it cannot be looked at, or not told apart from another; what it writes has to tell. */
export type Life = 'alive' | 'dead' | 'unknown';

export function thisProcess(): Holder {
  const { pid } = process;
  return {
    pid,
    host: hostname(),
    boot: readText('/proc/sys/kernel/random/boot_id'),
    namespace: readLink('/proc/self/ns/pid'),
    begun: beginningOf(pid)?.begun ?? '',
  };
}

export function lifeOf(holder: Holder | undefined, self: Holder = thisProcess()): Life {
  if (!holder) return 'unknown';
  if (!isBesideUs(holder, self)) return isOfEarlierStart(holder, self) ? 'dead' : 'unknown';
  if (!isRunning(holder.pid)) return 'dead';
  const found = beginningOf(holder.pid);
  // Running, but hidden from this user; or a system without /proc, where the number may be another's by now.
  if (!found || !holder.begun) return 'unknown';
  if (found.begun !== holder.begun || found.isOver) return 'dead';
  // Another thread of ours, which may be over, or another copy of this package.
  return holder.pid === self.pid ? 'unknown' : 'alive';
}

/** Whether the holder's number is one of the processes here. */
function isBesideUs({ host, boot, namespace }: Holder, self: Holder): boolean {
  if (boot !== self.boot || namespace !== self.namespace) return false;
  // One start of one machine, whatever its name is by now; where the system tells neither, the name has to do.
  return (boot !== '' && namespace !== '') || host === self.host;
}

/** Whether its machine was started anew since. */
function isOfEarlierStart({ host, boot }: Holder, self: Holder): boolean {
  return host === self.host && boot !== '' && self.boot !== '' && boot !== self.boot;
}

/** @returns undefined where it is no holder: torn, or not ours. */
export function readHolder(text: string): Holder | undefined {
  try {
    const { pid, host, boot, namespace, begun } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
    if (typeof host !== 'string' || typeof boot !== 'string') return undefined;
    if (typeof namespace !== 'string' || typeof begun !== 'string') return undefined;
    return { pid, host, boot, namespace, begun };
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Fields 3 and 22 of /proc/<pid>/stat; the second, a name, may hold anything, blanks and brackets too. */
function beginningOf(pid: number): { begun: string; isOver: boolean } | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [status = ''] = fields;
  const begun = fields[19];
  return begun ? { begun, isOver: status === 'Z' || status === 'X' } : undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
