import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HubFleet } from 'opendelivery-client';
import { ManualClock, type MockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { caught, hubWith, stores } from '../fleet/support.js';
import { isProgramMissing, pathOf } from '../program-missing.js';
import { temporaryDirectory } from '../temporary.js';
import { samplesOf } from './prometheus.js';
import { Telemetry } from './telemetry.js';

const RULES = fileURLToPath(new URL('../../examples/prometheus-alerts.yml', import.meta.url));

/** As the rules expect it: between two scrapes, and between two evaluations. */
const INTERVAL_S = 15;

/** The values of each series, one for each scrape. */
type Series = Map<string, (number | undefined)[]>;

interface Observed {
  readonly series: Series;
  /** When the fault happened first, and how long the fleet was observed, in seconds since the first scrape. */
  readonly failedAt: number;
  readonly lastsTo: number;
}

interface Fault {
  /** Called five minutes after the start. */
  readonly cause: (mock: MockHub, on: { isBroken: boolean }) => void;
  /** Whether a request of the journal or a call of a listener is the first one that failed. */
  readonly isFirst: 'poll' | 'listener';
}

/** Three stores in good order for five minutes, and then with a fault for five more. */
async function observe({ cause, isFirst }: Fault): Promise<Observed> {
  const clock = new ManualClock();
  const all = stores(3);
  const mock = hubWith(all, { clock, latencyMs: 300 });
  const telemetry = new Telemetry(clock);
  onTestFinished(() => telemetry.end());
  const { baseUrl, fetch } = mock;
  const fleet = new HubFleet({ baseUrl, fetch, clock, stores: all, logger: false });
  const end = telemetry.instrument({ fleet });
  const printer = { isBroken: false };
  let failedListenerAt: number | undefined;
  fleet.on('event', () => {
    if (!printer.isBroken) return;
    failedListenerAt ??= clock.now();
    throw new Error('the printer is out of paper');
  });
  fleet.on('error', () => {});
  void caught(fleet.start());
  await clock.advance('1m');
  const startedAt = clock.now();
  const series: Series = new Map();
  const scrapes = 40;
  let causedAt = 0;
  for (let scrape = 0; scrape < scrapes; scrape += 1) {
    for (const { name, labels, value } of samplesOf(await telemetry.scrape())) {
      const pairs = [...labels].map(([label, content]) => `${label}=${JSON.stringify(content)}`);
      const key = `${name}{${pairs.join(',')}}`;
      const values = series.get(key) ?? [];
      values[scrape] = value;
      series.set(key, values);
    }
    if (scrape % 4 === 0) mock.createOrder({ clientId: all[0]?.clientId as string });
    if (scrape === scrapes / 2) {
      causedAt = clock.now();
      cause(mock, printer);
    }
    await clock.advance(`${INTERVAL_S}s`);
  }
  const failed = isFirst === 'poll' ? firstFailedPoll(mock, causedAt) : failedListenerAt;
  const stopped = fleet.stop({ timeoutMs: 1000 });
  await clock.advance('2m');
  await stopped;
  await end();
  return {
    series,
    failedAt: Math.ceil(((failed ?? causedAt) - startedAt) / 1000),
    lastsTo: (scrapes - 1) * INTERVAL_S,
  };
}

function firstFailedPoll(mock: MockHub, since: number): number | undefined {
  return mock.requests.find(
    ({ at, endpoint, status }) => endpoint === 'polling' && at >= since && status !== 200 && status !== 204,
  )?.at;
}

/** Which alerts fire at some times, evaluated by Prometheus. @throws {Error} others do. */
function expectFiring({ series, lastsTo }: Observed, expected: ReadonlyMap<number, readonly string[]>): void {
  const inputs = [...series].map(([name, values]) => ({
    series: name,
    values: Array.from(values, (value) => value ?? '_').join(' '),
  }));
  const test = {
    rule_files: [RULES],
    evaluation_interval: `${INTERVAL_S}s`,
    tests: [
      {
        interval: `${INTERVAL_S}s`,
        input_series: inputs,
        promql_expr_test: [...expected].map(([at, alerts]) => {
          expect(at).toBeLessThanOrEqual(lastsTo);
          return {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: `${at}s`,
            exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
          };
        }),
      },
    ],
  };
  const file = join(temporaryDirectory(), 'alerts.yml');
  writeFileSync(file, stringify(test));
  execFileSync(pathOf('promtool'), ['test', 'rules', file], { stdio: 'pipe', encoding: 'utf8' });
}

describe.skipIf(isProgramMissing('promtool'))('examples/prometheus-alerts.yml', () => {
  it('is valid', () => {
    expect(execFileSync(pathOf('promtool'), ['check', 'rules', RULES], { encoding: 'utf8' })).toContain(
      'SUCCESS',
    );
  });

  it.each([
    {
      what: 'stores whose polls fail',
      alert: 'OpenDeliveryPollsFail',
      fault: {
        isFirst: 'poll',
        cause: (mock: MockHub) => mock.faults.next('polling', 503, 1000),
      },
    },
    {
      what: 'a store whose listeners fail',
      alert: 'OpenDeliveryListenersFail',
      fault: {
        isFirst: 'listener',
        cause: (_mock: MockHub, printer: { isBroken: boolean }) => {
          printer.isBroken = true;
        },
      },
    },
    {
      what: 'stores that are refused',
      alert: 'OpenDeliveryStoreRefused',
      fault: {
        isFirst: 'poll',
        cause: (mock: MockHub) => {
          mock.revokeTokens();
          mock.faults.next('token', 401, 1000);
        },
      },
    },
  ] as const)('finds $what within a minute, and nothing before', async ({ alert, fault }) => {
    const observed = await observe(fault);
    const { failedAt } = observed;
    expectFiring(
      observed,
      new Map([
        [60, []],
        [failedAt, []],
        [failedAt + 60, [alert]],
      ]),
    );
    expect(() => expectFiring(observed, new Map([[failedAt + 60, []]]))).toThrow(alert);
  });

  it('is silent when one poll of each store has failed', async () => {
    const observed = await observe({
      isFirst: 'poll',
      cause: (mock) => mock.faults.next('polling', 503, 3),
    });
    expectFiring(
      observed,
      new Map(Array.from({ length: 20 }, (_, index) => [observed.lastsTo - index * INTERVAL_S, []])),
    );
  });
});
