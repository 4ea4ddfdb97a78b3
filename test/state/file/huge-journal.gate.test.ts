import { statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../../src/state/file/records.js';
import { HANDLED } from '../../../src/state/port.js';
import { DAY_MS, idsIn, stateWarnings, writtenDirectory } from './support.js';

describe('a journal', () => {
  it('above 2 GiB is read before and after a damaged part, which is reported', async () => {
    const { directory, journal } = await writtenDirectory();
    const messages = stateWarnings();
    const size = 2 ** 31 + 4096;
    truncateSync(journal, size);
    const file = await open(journal, 'a');
    await file.write(
      `\n${encodeRecord({ kind: 'marks', mark: HANDLED, key: 's', ids: ['5'], until: 9e15, forMs: DAY_MS })}`,
    );
    await file.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
    expect(messages).toEqual([
      expect.stringMatching(/^OpenDeliveryWarning: fileState: a line of .*journal cannot/),
    ]);
    expect(statSync(`${journal}.damaged`).size).toBeGreaterThan(size);
    expect(statSync(journal).size).toBeLessThan(4096);
  });
});
