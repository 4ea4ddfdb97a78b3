import { describe, expect, it } from 'vitest';
import { made } from './support.js';

const MAX_BYTES = 16_000_000;

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the journal', () => {
  it('keeps the last 10,000 requests', async () => {
    const { mock, api } = made();
    for (let count = 0; count < 10_005; count += 1) await api.get(`/v1/orders/${count}`);
    expect(mock.requests).toHaveLength(10_000);
    expect(mock.requests[0]?.path).toMatch(/orders\/5$/);
    expect(mock.requests.at(-1)?.path).toMatch(/orders\/10004$/);
  });

  const BODIES: [string, string, number][] = [
    ['bodies', 'x'.repeat(900_000), 17],
    ['bodies with characters of several bytes', '€'.repeat(300_000), 17],
    ['bodies that JSON escapes make longer', '\u0001'.repeat(150_000), 17],
    ['bodies that are truncated', 'x'.repeat(3_000_000), 15],
  ];
  it.each(BODIES)('keeps the last 16 MB of %s', async (_what, body, kept) => {
    const { mock, api } = made();
    const sent = 40;
    for (let count = 0; count < sent; count += 1) await api.get(`/${count}`, { method: 'POST', body });
    expect(mock.requests).toHaveLength(kept);
    expect(mock.requests.at(-1)?.path).toBe(`/opendelivery/${sent - 1}`);
    expect(bytesOf(mock.requests)).toBeLessThanOrEqual(MAX_BYTES);
    mock.reset();
    for (let count = 0; count < sent; count += 1) await api.get(`/${count}`, { method: 'POST', body });
    expect(mock.requests).toHaveLength(kept);
  });
});
