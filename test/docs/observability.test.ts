import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PollTrace, Traces } from 'opendelivery-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { exits } from '../cli/support.js';
import { fleetStage, stores } from '../fleet/support.js';
import { stage } from '../support.js';
import { CHANNELS } from '../tracing/support.js';
import { readText } from './blocks.js';

it('shows how to subscribe', async () => {
  const lines: object[] = [];
  const log = (line: object) => void lines.push(line);
  // #region subscribe
  const polls = tracingChannel<unknown, PollTrace>('opendelivery:poll');
  const onPoll = (message: unknown) => {
    const { storeId, eventIds = [], lateMs, error } = message as PollTrace;
    log({ storeId, received: eventIds.length, lateMs, failed: error !== undefined });
  };
  polls.asyncEnd.subscribe(onPoll);
  // #endregion
  onTestFinished(() => void polls.asyncEnd.unsubscribe(onPoll));
  const { hub, mock } = stage();
  mock.createOrder();
  await hub
    .poller()
    .on('event', () => {})
    .runOnce();
  expect(lines).toEqual([{ storeId: undefined, received: 1, lateMs: 0, failed: false }]);
});

it('has at most 1,500 words', () => {
  expect(readText('docs/observability.md').split(/\s+/).length).toBeLessThanOrEqual(1500);
});

it('publishes what opendelivery top shows', async () => {
  const all = stores(2);
  const storeIds = all.map(({ storeId }) => storeId);
  const { fleet, clock } = fleetStage(all);
  fleet.on('event', () => {});
  void fleet.start().catch(() => {});
  await clock.advance('31s');
  vi.stubEnv('HEALTH_PORT', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  // #region publish
  const server = createServer((_request, response) => {
    const stores = Object.fromEntries(storeIds.map((storeId) => [storeId, fleet.health(storeId)]));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ fleet: fleet.health(), stores }));
  });
  server.listen(Number(process.env.HEALTH_PORT ?? 9000), '127.0.0.1');
  // #endregion
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ran = await exits(0, `top --url http://127.0.0.1:${port}/`);
  expect(ran.out).toContain('2 stores: 2 polling, 0 backing off');
  expect(ran.out).toMatch(/^store-0 +running +\d+ s/m);
});

/** The fields of each context; does not compile if one is missing. */
const FIELDS: {
  readonly [Name in keyof Traces]: Readonly<Record<Exclude<keyof Traces[Name], 'storeId' | 'error'>, true>>;
} = {
  'opendelivery:request': {
    serverAddress: true,
    serverPort: true,
    endpoint: true,
    path: true,
    method: true,
    attempt: true,
    status: true,
  },
  'opendelivery:poll': { serverAddress: true, serverPort: true, lateMs: true, eventIds: true, issues: true },
  'opendelivery:listener': {
    eventIds: true,
    orderId: true,
    eventType: true,
    attempt: true,
    redelivered: true,
    deadLetter: true,
  },
  'opendelivery:acknowledge': { serverAddress: true, serverPort: true, eventIds: true, acknowledged: true },
  'opendelivery:token': { background: true, expiresAt: true },
};

it('names every channel and every field', () => {
  const lines = readText('docs/observability.md').split('\n');
  for (const channel of CHANNELS) {
    const row = lines.find((line) => line.startsWith(`| \`${channel}\` |`)) ?? '';
    const named = [...(row.split('|')[3] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named, channel).toEqual(Object.keys(FIELDS[channel]));
  }
});
