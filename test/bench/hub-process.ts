import type { LabelCounts } from './contenders/hub.js';
import { startProcess } from './processes.js';

export interface HubProcess {
  readonly url: string;
  /** What the hub has counted for each label. */
  counts(): Promise<Readonly<Record<string, LabelCounts>>>;
}

/** Runs `work` with an in-memory hub in a process of its own. */
export async function* withHub<T>(work: (hub: HubProcess) => AsyncIterable<T>): AsyncGenerator<T> {
  const { value: url, end } = await startProcess<string>({ file: './hub.ts', setup: 'listen' });
  const counts = async () =>
    (await (await fetch(`${url}/counts`)).json()) as Readonly<Record<string, LabelCounts>>;
  try {
    yield* work({ url, counts });
  } finally {
    await end();
  }
}
