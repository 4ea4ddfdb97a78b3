/** Starts two workers, prints a line per second that shows who holds what, and starts and ends more of them on request. */
import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { FleetWorkerHealth } from 'opendelivery-client/bullmq';

interface Health extends FleetWorkerHealth {
  /** Orders that it has handled. */
  readonly orders: number;
}

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const workers = new Map<string, { readonly child: ChildProcess; health?: Health }>();
let orders = 0;

function add(): void {
  const name = NAMES.find((each) => !workers.has(each));
  if (!name) return;
  const child = fork(new URL(import.meta.url.replace(/workers(\.[jt]s)$/, 'worker$1')));
  const worker: { readonly child: ChildProcess; health?: Health } = { child };
  workers.set(name, worker);
  child.on('message', (message) => {
    const health = message as Health;
    orders += health.orders - (worker.health?.orders ?? 0);
    worker.health = health;
  });
  child.once('exit', (_code, signal) => {
    workers.delete(name);
    console.log(`${name} has ended${signal ? ` (${signal})` : ''}`);
  });
}

/** The last one that was started. */
const last = () => [...workers.values()].at(-1)?.child;

const COMMANDS: Readonly<Record<string, () => void>> = {
  '+': add,
  '-': () => void last()?.kill('SIGTERM'),
  k: () => void last()?.kill('SIGKILL'),
  q: () => end(),
};

function print(): void {
  const parts = [...workers].map(([name, { health }]) => {
    if (!health) return `${name} starts`;
    return `${name} ${health.shards} shards ${health.stores} stores`;
  });
  console.log([new Date().toTimeString().slice(0, 8), ...parts, `${orders} orders`].join(' | '));
}

function end(): void {
  clearInterval(timer);
  input.close();
  process.stdin.destroy();
  for (const { child } of workers.values()) child.kill('SIGTERM');
}

console.log('+ starts a worker, - ends the last one, k kills it, q ends all; press Enter after each');
add();
add();
const timer = setInterval(print, 1000);
const input = createInterface({ input: process.stdin });
input.on('line', (line) => COMMANDS[line.trim()]?.());
process.once('SIGTERM', end);
