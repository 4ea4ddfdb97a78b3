import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './errors.js';

/** What distinguishes a process from a later one with the same pid. Lock files contain it as JSON. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Id of the boot of the machine; empty if the system does not have one. */
  readonly boot: string;
  /** The pid namespace: a container has its own. Empty if the system has none. */
  readonly namespace: string;
  /** When the process started, in clock ticks since the boot; empty if it is not known. */
  readonly begun: string;
}

/**
 * `unknown`: the process cannot be inspected (other namespace, no permission);
 * its last heartbeat decides.
 */
export type Liveness = 'alive' | 'dead' | 'unknown';

export function thisProcess(): ProcessIdentity {
  const { pid } = process;
  return {
    pid,
    host: hostname(),
    boot: readText('/proc/sys/kernel/random/boot_id'),
    namespace: readLink('/proc/self/ns/pid'),
    begun: startOf(pid)?.begun ?? '',
  };
}

export function livenessOf(
  owner: ProcessIdentity | undefined,
  self: ProcessIdentity = thisProcess(),
): Liveness {
  if (!owner) return 'unknown';
  if (!hasSamePids(owner, self)) return isOfEarlierBoot(owner, self) ? 'dead' : 'unknown';
  if (!isRunning(owner.pid)) return 'dead';
  const found = startOf(owner.pid);
  // It runs but is hidden from this user, or there is no /proc: then the pid may belong to another process now.
  if (!found || !owner.begun) return 'unknown';
  if (found.begun !== owner.begun || found.isOver) return 'dead';
  // Another thread of this process, which may have ended, or another copy of this package.
  return owner.pid === self.pid ? 'unknown' : 'alive';
}

/** @returns undefined if the text is not an identity: it was cut off, or is not ours. */
export function parseIdentity(json: string): ProcessIdentity | undefined {
  try {
    const { pid, host, boot, namespace, begun } = JSON.parse(json) as Record<string, unknown>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
    if (typeof host !== 'string' || typeof boot !== 'string') return undefined;
    if (typeof namespace !== 'string' || typeof begun !== 'string') return undefined;
    return { pid, host, boot, namespace, begun };
  } catch {
    return undefined;
  }
}

/** Whether a pid means the same process to both. */
export function hasSamePids({ host, boot, namespace }: ProcessIdentity, self: ProcessIdentity): boolean {
  if (boot !== self.boot || namespace !== self.namespace) return false;
  // The same boot is the same machine, even if it was renamed. Without a boot id the host name decides.
  return (boot !== '' && namespace !== '') || host === self.host;
}

/** Whether the machine was restarted since. */
function isOfEarlierBoot({ host, boot }: ProcessIdentity, self: ProcessIdentity): boolean {
  return host === self.host && boot !== '' && self.boot !== '' && boot !== self.boot;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Fields 3 (status) and 22 (start) of /proc/<pid>/stat. Field 2, a name in brackets, may contain spaces and brackets. */
function startOf(pid: number): { begun: string; isOver: boolean } | undefined {
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
