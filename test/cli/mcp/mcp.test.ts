import Ajv from 'ajv/dist/2020.js';
import { HubClient } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SCRIPTS } from '../../../src/cli/certify/scripts/index.js';
import { GUIDES, readText } from '../../docs/blocks.js';
import { servedConsole } from '../../testing/console/support.js';
import { hubInEnvironment, printedIn } from '../support.js';
import { assistantInMemory } from './assistant.js';

interface MockHubResult {
  readonly console: string;
  readonly stores: readonly [{ readonly HUB_BASE_URL: string }];
}

interface Created {
  readonly orderId: string;
  readonly order: { readonly type: string; readonly extraInfo?: string };
}

/** An application that has the variables which a tool has returned. */
function applicationOf(variables: object | string, clock: ManualClock): HubClient {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const printed = printedIn(typeof variables === 'string' ? variables : lines.join('\n'));
  const hub = new HubClient({ ...printed, clock, logger: false, retry: { attempts: 1 } });
  onTestFinished(async () => void (await hub.close()));
  return hub;
}

async function withApplication() {
  const clock = new ManualClock();
  const assistant = await assistantInMemory(clock);
  const { stores } = await assistant.result<MockHubResult>('mock_hub');
  return { clock, assistant, hub: applicationOf(stores[0], clock) };
}

describe('the mock hub of an assistant', () => {
  it('answers an application with the variables of mock_hub', async () => {
    const clock = new ManualClock();
    const assistant = await assistantInMemory(clock);
    const { console: page, stores } = await assistant.result<MockHubResult>('mock_hub');
    expect((await applicationOf(stores[0], clock).merchant.get()).merchant.basicInfo.name).not.toBe('');
    expect(page).toBe(`${stores[0].HUB_BASE_URL}/_mock/ui`);
  });

  it('creates orders with the keys of createOrder, and emits events', async () => {
    const { assistant, hub } = await withApplication();
    const created = await assistant.result<Created>('create_order', {
      type: 'TAKEOUT',
      include: ['options'],
      extraInfo: 'no onions',
    });
    expect(created.order).toMatchObject({ type: 'TAKEOUT', extraInfo: 'no onions' });
    await assistant.result('emit_event', { eventType: 'CANCELLED', orderId: created.orderId });
    const { events } = await hub.events.poll();
    expect(events.map(({ eventType, orderId }) => [eventType, orderId])).toEqual([
      ['CREATED', created.orderId],
      ['CANCELLED', created.orderId],
    ]);
  });

  it('fails as often as it is asked to, and no more after clear_faults', async () => {
    const { clock, assistant, hub } = await withApplication();
    await assistant.result('inject_fault', { endpoint: 'polling', fault: 503, times: 3 });
    await expect(hub.events.poll()).rejects.toMatchObject({ code: 'server', status: 503 });
    await assistant.result('clear_faults');
    await clock.advance('2m');
    expect((await hub.events.poll()).events).toEqual([]);
  });

  it('lists the rules that the application has broken', async () => {
    const { assistant, hub } = await withApplication();
    const { orderId } = await assistant.result<Created>('create_order');
    expect(await assistant.result('read_violations')).toEqual([]);
    await hub.orders.updateStatus(orderId, 'confirm', { createdAt: 7 } as object);
    const violations = await assistant.result<{ rule: string }[]>('read_violations', { clientId: '1001' });
    expect(violations.map(({ rule }) => rule)).toEqual(['command-body']);
  });

  it('can be one that runs already', async () => {
    const { clock, mock, url } = await servedConsole();
    const assistant = await assistantInMemory(clock, `${url}/`);
    const { orderId } = await assistant.result<Created>('create_order');
    expect(mock.pending()).toMatchObject([{ eventType: 'CREATED', orderId }]);
    expect((await assistant.result<MockHubResult>('mock_hub')).stores[0].HUB_BASE_URL).toBe(url);
  });

  it('that does not run is an error that says how to start it', async () => {
    const assistant = await assistantInMemory(new ManualClock(), 'http://127.0.0.1:1');
    const { text, isError } = await assistant.call('create_order');
    expect(isError).toBe(true);
    expect(text).toContain('no mock hub responds at http://127.0.0.1:1');
    expect(text).toContain('start one with `npx opendelivery mock`');
  });
});

describe('the input of a tool', () => {
  it.each([
    ['mock_hub', { url: 'x' }, /^url: is not a known key; remove it$/],
    ['create_order', { kind: 'TAKEOUT' }, /^kind: is not a known key; the keys are clientId, orderId/],
    ['create_order', { type: 'PICKUP' }, /^type: must be one of 'DELIVERY', .*; it is 'PICKUP'$/],
    ['create_order', { clientId: 'nobody' }, /nobody/],
    [
      'emit_event',
      { eventType: 'CANCELLED', order: '1' },
      /^order: is not a known key; the keys are eventType/,
    ],
    ['emit_event', {}, /^eventType: is missing; it must be a non-empty string$/],
    ['inject_fault', { endpoint: 'poll', fault: 503 }, /^endpoint: must be one of/],
    [
      'inject_fault',
      { endpoint: 'polling', fault: 503, count: 2 },
      /^count: is not a known key; the keys are/,
    ],
    ['clear_faults', { all: true }, /^all: is not a known key/],
    ['read_violations', { store: '1001' }, /^store: is not a known key; the keys are clientId$/],
    ['explain_error', { code: 'nope' }, /^code: must be one of 'ConfigurationError', .*; it is 'nope'$/],
    ['explain_error', { name: 'cart' }, /^code: is missing.*\. name: is not a known key; the keys are code$/],
    [
      'run_doctor',
      { readOnly: true },
      /^readOnly: is not a known key; the keys are endpoint, check, report, write$/,
    ],
    ['start_rehearsal', { script: 'uber' }, /^script: must be one of 'ifood-order'/],
    ['start_rehearsal', { script: '99food', drive: 'app' }, /^drive: must be an address such as/],
    ['start_rehearsal', { script: '99food', speed: 2 }, /^speed: is not a known key/],
    ['read_rehearsal', { id: '1' }, /^id: is not a known key; the keys are item$/],
  ])('of %s, %j, is refused with what to change', async (name, args, message) => {
    const assistant = await assistantInMemory(new ManualClock());
    const { text, isError } = await assistant.call(name, args);
    expect(text).toMatch(message);
    expect(isError).toBe(true);
  });

  it('is published as JSON Schema that allows no other key', async () => {
    const { client } = await assistantInMemory(new ManualClock());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'mock_hub',
      'create_order',
      'emit_event',
      'inject_fault',
      'clear_faults',
      'read_violations',
      'explain_error',
      'run_doctor',
      'start_rehearsal',
      'read_rehearsal',
      'stop_rehearsal',
    ]);
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const isValid = (name: string, input: object) =>
      ajv.validate(tools.find((each) => each.name === name)?.inputSchema ?? false, input);
    expect(tools.filter(({ name }) => isValid(name, { unknownKey: 1 }))).toEqual([]);
    expect(isValid('create_order', { type: 'TAKEOUT', include: ['options'], items: [] })).toBe(true);
    expect(isValid('create_order', { type: 'PICKUP' })).toBe(false);
    expect(isValid('inject_fault', { endpoint: 'polling', fault: { status: 429 }, times: 2 })).toBe(true);
    expect(
      isValid('start_rehearsal', { script: SCRIPTS[0]?.name, drive: 'http://127.0.0.1:3000/drive' }),
    ).toBe(true);
  });

  it('and the tool are in the guide', async () => {
    const { client } = await assistantInMemory(new ManualClock());
    const { tools } = await client.listTools();
    const rows = [...readText('docs/coding-assistants.md').matchAll(/^\| (`\w+`.*?) \|/gm)];
    const inGuide = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(inGuide).toEqual(tools.map(({ name }) => name));
  });

  it('of an unknown tool is an error of the protocol that names the tools', async () => {
    const assistant = await assistantInMemory(new ManualClock());
    await expect(assistant.call('create_orders')).rejects.toThrow(/the tools are mock_hub, create_order/);
  });
});

describe('explain_error', () => {
  it.each([
    ['rate_limit', /429.*\nwhat to do: try again after `retryAfterMs`\nguide: docs\/errors\.md$/s],
    ['RateLimitError', /try again after `retryAfterMs`/],
    ['duplicate_id', /^`duplicate_id`\nmeaning: two events have the same id.*\nguide: docs\/issues\.md$/],
    [
      'unanswered-order',
      /^`unanswered-order`\nit is broken if: an order got neither.*\nguide: docs\/mock-violations\.md$/,
    ],
  ])('explains %s', async (code, text) => {
    const assistant = await assistantInMemory(new ManualClock());
    expect(await assistant.call('explain_error', { code })).toEqual({
      text: expect.stringMatching(text),
      isError: false,
    });
  });

  it('knows every code in the tables of the guides', async () => {
    const { client } = await assistantInMemory(new ManualClock());
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === 'explain_error')?.inputSchema.properties?.code;
    const rows = ['docs/errors.md', 'docs/issues.md', 'docs/mock-violations.md'].flatMap((page) => [
      ...readText(page).matchAll(/^\| (?:`\w+` )?`([\w-]+)` +\|/gm),
    ]);
    expect(rows.length).toBeGreaterThan(35);
    expect((schema as { enum: string[] }).enum).toEqual(expect.arrayContaining(rows.map(([, code]) => code)));
  });
});

describe('run_doctor', () => {
  it('tests the hub of the environment, and writes nothing to it unless it is asked to', async () => {
    const { clock, mock } = await hubInEnvironment();
    const assistant = await assistantInMemory(clock);
    const seen = await assistant.result<{ result: string; findings: { endpoint: string; result: string }[] }>(
      'run_doctor',
    );
    expect(seen.result).toBe('ok');
    expect(seen.findings.map(({ endpoint, result }) => [endpoint, result])).toContainEqual([
      'acknowledgment',
      'skipped',
    ]);
    expect(mock.requests.filter(({ method, path }) => method === 'POST' && !path.endsWith('/token'))).toEqual(
      [],
    );
    await clock.advance('2m');
    const { text } = await assistant.call('run_doctor', { write: true });
    for (const secret of Object.values(mock.credentials).slice(1)) expect(text).not.toContain(secret);
    expect(mock.requests.some(({ path }) => path.endsWith('/acknowledgment'))).toBe(true);
    expect(mock.violations()).toEqual([]);
  });

  it('shows one endpoint, one check, or a report', async () => {
    const { clock } = await hubInEnvironment();
    const assistant = await assistantInMemory(clock);
    const one = await assistant.result<{ findings: object[] }>('run_doctor', { endpoint: 'merchant' });
    expect(one.findings).toMatchObject([{ endpoint: 'merchant', result: 'ok' }]);
    await clock.advance('1m');
    const report = await assistant.result<{ checks: { id: string; endpoint: string }[] }>('run_doctor', {
      report: true,
    });
    expect(report.checks.length).toBeGreaterThan(50);
    await clock.advance('2m');
    const { checks } = await assistant.result<{ checks: object[] }>('run_doctor', {
      check: 'token.lifetime',
    });
    expect(checks).toMatchObject([{ id: 'token.lifetime', endpoint: 'token' }]);
  });

  it.each([false, true])(
    'keeps the limits of the hub, however often it is called (report: %s)',
    { tags: 'slow' },
    async (report) => {
      const { clock, mock } = await hubInEnvironment();
      const assistant = await assistantInMemory(clock);
      for (let call = 0; call < 15; call += 1) await assistant.result('run_doctor', { report });
      const { result } = await assistant.result<{ result: string }>('run_doctor');
      expect(result).toBe('busy');
      expect(mock.violations()).toEqual([]);
      expect(mock.requests.filter(({ path }) => path.endsWith('polling'))).toHaveLength(2);
      const accepted = mock.requests.filter(({ path, status }) => path.endsWith('/token') && status === 200);
      expect(accepted).toHaveLength(1);
    },
  );

  it('says which variables are missing, and shows no secret of the others', async () => {
    vi.stubEnv('HUB_BASE_URL', '');
    vi.stubEnv('HUB_CLIENT_SECRET', 'very-secret-value');
    onTestFinished(() => void vi.unstubAllEnvs());
    const assistant = await assistantInMemory(new ManualClock());
    const { text, isError } = await assistant.call('run_doctor');
    expect(isError).toBe(true);
    expect(text).toContain('set HUB_BASE_URL');
    expect(text).not.toContain('very-secret-value');
  });
});

describe('a rehearsal', () => {
  it('begins, is read while it is played, and ends with the result of each item', async () => {
    const clock = new ManualClock();
    const assistant = await assistantInMemory(clock);
    expect((await assistant.call('read_rehearsal')).text).toContain('use start_rehearsal first');
    const { notes } = await assistant.result<{ notes: string[] }>('start_rehearsal', {
      script: 'opendelivery',
      drive: 'http://127.0.0.1:1/drive',
    });
    const hub = applicationOf(notes.join('\n'), clock);
    await hub.events.poll();
    const progress = () => assistant.result<{ isOver: boolean; notes: string[] }>('read_rehearsal');
    while (!(await progress()).notes.some((line) => line.startsWith('passed'))) await clock.advance('5s');
    expect((await progress()).isOver).toBe(false);
    const { items } = await assistant.result<{ items: { id: string; result: string }[] }>('stop_rehearsal');
    expect(items.map(({ result }) => result)).toEqual(expect.arrayContaining(['passed', 'not seen']));
    expect(await assistant.result('read_rehearsal')).toMatchObject({ isOver: true, items });
    for (const item of items) {
      expect(await assistant.result('read_rehearsal', { item: item.id })).toEqual(item);
    }
    expect((await assistant.call('read_rehearsal', { item: 'x' })).text).toMatch(
      /no item 'x'; its items are/,
    );
  });

  it('ends when another one is started', async () => {
    const assistant = await assistantInMemory(new ManualClock());
    const start = async () => {
      const { notes } = await assistant.result<{ notes: string[] }>('start_rehearsal', { script: '99food' });
      return printedIn(notes.join('\n')).baseUrl;
    };
    const first = await start();
    const second = await start();
    await expect(fetch(first)).rejects.toThrow();
    expect((await fetch(second)).status).toBe(404);
    const addresses = await Promise.all([start(), start(), start()]);
    await assistant.result('stop_rehearsal');
    for (const each of [second, ...addresses]) await expect(fetch(each)).rejects.toThrow();
  });
});

describe('the resources', () => {
  it('are llms.txt and every guide, with its title and its line', async () => {
    const assistant = await assistantInMemory(new ManualClock());
    const { resources } = await assistant.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      ['llms.txt', ...GUIDES].map((path) => `opendelivery://${path}`),
    );
    expect(resources).toContainEqual({
      uri: 'opendelivery://docs/errors.md',
      name: 'Errors',
      description: 'every error, and what to do about it.',
      mimeType: 'text/markdown',
    });
    for (const path of ['llms.txt', 'docs/errors.md']) {
      expect(await assistant.text(`opendelivery://${path}`)).toBe(readText(path));
    }
  });

  it('are nothing else of the machine', async () => {
    const assistant = await assistantInMemory(new ManualClock());
    for (const path of ['docs/../package.json', 'package.json', '/etc/passwd']) {
      await expect(assistant.text(`opendelivery://${path}`)).rejects.toThrow(/no guide has the address/);
    }
  });
});
