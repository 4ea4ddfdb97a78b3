/** A thread that opens one new file after another, each at the same instant as the other threads, and reports what failed. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { fileState } from 'opendelivery-client';

export interface Openers {
  readonly directory: string;
  readonly threads: number;
  /** How many threads are ready for each file. */
  readonly ready: Int32Array;
}

const { directory, threads, ready } = workerData as Openers;
const failures: string[] = [];
for (let file = 0; file < ready.length; file += 1) {
  Atomics.add(ready, file, 1);
  while (Atomics.load(ready, file) < threads);
  try {
    await fileState(join(directory, String(file))).close();
  } catch (error) {
    failures.push(String(error));
  }
}
parentPort?.postMessage(failures);
