import { randomUUID } from 'node:crypto';
import type { HubClient } from '../client.js';
import type { Clock } from '../clock.js';
import { ENDPOINTS, type EndpointName } from '../endpoints.js';
import { type Issue, isHubError } from '../errors.js';
import { EVENT_TYPES } from '../schemas/event.js';
import { type ConnectionOptions, connect } from './connect.js';
import { EXIT, exitCodeOf } from './exit.js';
import { Recorder } from './recorder.js';
import { lasting } from './spoken.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

export interface DoctorCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly readOnly?: boolean;
}

/** What came of one endpoint. */
export interface Finding {
  readonly endpoint: EndpointName;
  readonly result: 'ok' | 'failed' | 'skipped';
  /** What this hub does where the spec is silent, and what went wrong. */
  readonly says: readonly string[];
  readonly error?: unknown;
}

/** Tries each endpoint once, and tells what this hub does where the spec is silent. */
export async function doctor(terminal: Terminal, options: DoctorCommandOptions): Promise<number> {
  const { clock } = terminal;
  const recorder = new Recorder(clock);
  await using hub = connect(terminal, options, 'either', {
    logger: false,
    clock,
    fetch: recorder.fetch,
    retry: { attempts: 1 },
    rateLimit: { mode: 'throw' },
  });
  const findings: Finding[] = [];
  for await (const finding of examine(hub, recorder, clock, options.readOnly === true)) {
    findings.push(finding);
    if (!options.json) await report(terminal, finding);
  }
  const overall = recorder.overall();
  if (options.json) {
    const plain = findings.map(({ error: _, ...finding }) => finding);
    await terminal.json({ findings: plain, overall }, 2);
  } else await report(terminal, { title: 'this hub', result: 'ok', says: overall });
  const failed = findings.find(({ result }) => result === 'failed');
  return failed ? exitCodeOf(failed.error) : EXIT.done;
}

async function* examine(
  hub: HubClient,
  recorder: Recorder,
  clock: Clock,
  readOnly: boolean,
): AsyncGenerator<Finding> {
  const probe = async (
    endpoint: EndpointName,
    run: () => Promise<readonly string[]>,
    expected: readonly number[] = [],
  ): Promise<Finding> => {
    try {
      return { endpoint, result: 'ok', says: await run() };
    } catch (error) {
      if (isHubError(error) && error.code === 'configuration') {
        return { endpoint, result: 'skipped', says: [error.message] };
      }
      const status = isHubError(error) && 'status' in error ? error.status : undefined;
      if (status !== undefined && expected.includes(status)) {
        return { endpoint, result: 'ok', says: [`answers ${status} to an id it cannot know, as it should`] };
      }
      return {
        endpoint,
        result: 'failed',
        says: [error instanceof Error ? error.message : String(error)],
        error,
      };
    }
  };

  const token = await probe('token', async () => {
    const { expiresAt } = await hub.auth.getToken();
    return [`the token lasts ${lasting(expiresAt - clock.now())}`, ...recorder.tokenForm()];
  });
  yield token;
  let orderId: string | undefined;
  if (token.result === 'ok') {
    yield await probe('polling', async () => {
      const { events, issues } = await hub.events.poll();
      orderId = events[0]?.orderId;
      const strangers = new Set(
        events
          .map(({ eventType }) => eventType)
          .filter((type) => !(EVENT_TYPES as readonly string[]).includes(type)),
      );
      return [
        events.length === 0
          ? recorder.emptyForm()
          : `${events.length} events wait; nothing of them is acknowledged`,
        ...[...strangers].map((type) => `sends the type ${type}, which the spec does not know`),
        ...summary(issues),
      ];
    });
    yield await probe(
      'order',
      async () => {
        const { issues } = await hub.orders.get(orderId ?? randomUUID());
        return ['reads the order of the first event', ...summary(issues)];
      },
      orderId === undefined ? [404, 400, 422] : [],
    );
    if (readOnly) {
      for (const endpoint of ['acknowledgment', 'orderStatus'] as const) {
        yield { endpoint, result: 'skipped', says: ['--read-only'] };
      }
    } else {
      yield await probe('acknowledgment', async () => {
        const unknown = { eventId: randomUUID(), orderId: randomUUID(), eventType: 'CREATED' };
        const { rejected } = await hub.events.acknowledge([unknown]);
        const [refusal] = rejected;
        return [
          refusal ? `refuses an id it cannot know: ${refusal.error.message}` : 'takes an id it cannot know',
        ];
      });
      yield await probe('orderStatus', async () => {
        await hub.orders.confirm(randomUUID());
        return ['takes a command for an order it cannot know'];
      }, [404, 400, 422]);
    }
  } else {
    for (const endpoint of ['polling', 'order', 'acknowledgment', 'orderStatus'] as const) {
      yield { endpoint, result: 'skipped', says: ['needs a token'] };
    }
  }
  yield await probe('merchant', async () => {
    const { merchant, issues, expiresAt, fetchedAt } = await hub.merchant.get();
    return [
      `${merchant.basicInfo?.name ?? 'a store without a name'}: ${merchant.itemOffers.length} offers, ${merchant.items.length} items, good for ${lasting(expiresAt - fetchedAt)}`,
      ...summary(issues),
    ];
  });
}

/** Issues by kind, the most frequent first. */
function summary(issues: readonly Issue[]): readonly string[] {
  const kinds = new Map<string, { count: number; first: Issue }>();
  for (const issue of issues) {
    const place = issue.path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
    const kind = kinds.get(`${issue.code} ${place}`);
    if (kind) kind.count += 1;
    else kinds.set(`${issue.code} ${place}`, { count: 1, first: issue });
  }
  const sorted = [...kinds].sort(([, one], [, other]) => other.count - one.count);
  return [
    ...(issues.length > 0 ? [`${issues.length} issues of ${kinds.size} kinds`] : []),
    ...sorted.slice(0, 12).map(([kind, { count, first }]) => `  ${count} × ${kind}: ${first.message}`),
    ...(sorted.length > 12 ? [`  and ${sorted.length - 12} kinds more`] : []),
  ];
}

const MARKS = { ok: ['green', 'ok'], failed: ['red', 'FAILED'], skipped: ['dim', 'skipped'] } as const;

async function report(
  terminal: Terminal,
  finding: Finding | { readonly title: string; readonly result: 'ok'; readonly says: readonly string[] },
): Promise<void> {
  const [colour, mark] = MARKS[finding.result];
  const title =
    'title' in finding ? finding.title : `${finding.endpoint} (Spec ${ENDPOINTS[finding.endpoint].section})`;
  await terminal.line(styled`${paint(colour, mark.padEnd(7))}  ${paint('bold', title)}`);
  for (const each of finding.says) await terminal.line(`           ${each}`);
}
