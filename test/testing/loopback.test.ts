import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/testing/loopback.js';

const refusal = (headers: Record<string, string[]>, url = '/') => {
  const rawHeaders = Object.entries(headers).flatMap(([name, values]) =>
    values.flatMap((value) => [name, value]),
  );
  return refusalOf({ url, rawHeaders } as IncomingMessage);
};

describe('refusalOf', () => {
  it.each([
    [{ host: ['127.0.0.1:4010'] }],
    [{ host: ['localhost'], origin: ['http://localhost'] }],
    [{ host: ['[::1]:1'], origin: ['http://[::1]:1'], 'sec-fetch-site': ['same-origin'] }],
    [{ host: ['localhost'], origin: ['null'], 'sec-fetch-site': ['same-origin'] }],
    [{ host: ['localhost'], 'sec-fetch-site': ['none'] }],
  ])('accepts %j', (headers) => {
    expect(refusal(headers)).toBeUndefined();
  });

  it.each([
    [{ host: ['attacker.example'] }, /'attacker\.example' is not this machine/],
    [{}, /'' is not this machine/],
    [{ host: ['localhost', 'localhost'] }, /more than one Host/],
    [{ host: ['localhost'], origin: ['https://attacker.example'] }, /another origin/],
    [{ host: ['localhost'], 'sec-fetch-site': ['cross-site'] }, /another origin/],
    [{ host: ['localhost'], origin: ['null'] }, /another origin/],
  ])('refuses %j', (headers, reason) => {
    expect(refusal(headers)).toMatch(reason);
  });

  it('checks the host of an absolute target, too', () => {
    const headers = { host: ['localhost'] };
    expect(refusal(headers, 'http://attacker.example/')).toMatch(/'attacker\.example' is not this machine/);
    expect(refusal(headers, 'http://localhost/')).toBeUndefined();
    expect(refusal(headers, '*')).toBeUndefined();
  });

  it('shows at most 100 characters of a host', () => {
    expect(refusal({ host: ['x'.repeat(5000)] })?.length).toBeLessThan(250);
  });
});
