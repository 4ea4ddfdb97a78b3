import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { HubClient, type HubClientOptions } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../../examples/ordering-app/main.js';
import { passedEarlier } from '../../../src/cli/certify/rehearse.js';
import { SCRIPTS } from '../../../src/cli/certify/scripts/index.js';
import { soon } from '../../soon.js';
import { freePort, temporaryDirectory } from '../../temporary.js';
import { exits, interrupt, opendelivery, printedIn, type Ran } from '../support.js';

interface Report {
  readonly script: string;
  readonly items: readonly { id: string; title: string; result: string; evidence: string[] }[];
  readonly notTestable: readonly { id: string; title: string; reason: string }[];
}

const reportOf = ({ out }: Ran) => JSON.parse(out) as Report;

const isListening = (ran: Ran) => soon(() => expect(ran.err).toMatch(/HUB_API_KEY=\S+\n/));

/** The application of `examples/ordering-app`. It is started with what the rehearsal prints, and confirms by itself. */
async function applicationFor(ran: Ran, clock: ManualClock, options: Partial<HubClientOptions> = {}) {
  await isListening(ran);
  const hub = new HubClient({ ...printedIn(ran.err), clock, logger: false, ...options });
  const app = await startApp(hub, { now: () => clock.now(), isDriven: true, port: PORT });
  const stop = () => passingTime(clock, app.stop());
  onTestFinished(async () => void (await stop()));
  return { stop };
}

/** A request to the application takes as long as those of the rehearsal, which the clock does not wait for. */
const visit = async () => void (await fetch(`http://127.0.0.1:${PORT}/`).catch(() => {}));

/** Lets time pass until something has ended, such as a rehearsal, or an application whose hub is gone. */
async function passingTime<Value>(
  clock: ManualClock,
  ending: Promise<Value>,
  act: () => Promise<void> = visit,
): Promise<Value> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ending.then(over, over);
  while (!isOver) {
    await act();
    await clock.advance('5s');
  }
  return ending;
}

const ended = (ran: Ran, clock: ManualClock, act?: () => Promise<void>): Promise<number> =>
  passingTime(clock, ran.code, act);

const PORT = await freePort();
const DRIVE = `http://127.0.0.1:${PORT}/drive`;

/** Does what the terminal asks for, and answers its questions. */
function personAt(ran: Ran, input: PassThrough, answerTo: (question: string) => string) {
  let read = 0;
  const ACTIONS: Readonly<Record<string, string>> = {
    '"ready for pickup"': 'readyForPickup',
    '"dispatched"': 'dispatch',
    '"delivered"': 'delivered',
    '"picked up by the customer"': 'pickedUp',
    'cancel it': 'requestCancellation',
    "accept the customer's cancellation": 'acceptCancellation',
    "deny the customer's cancellation": 'denyCancellation',
  };
  return async () => {
    await visit();
    const text = ran.err.slice(read);
    read = ran.err.length;
    for (const [, question] of text.matchAll(/(\S.*\?) \[y\/n\]/g))
      input.write(`${answerTo(question as string)}\n`);
    for (const [, number, action] of text.matchAll(/now, order (\d+): (.+?)(?: \(.*)?$/gm)) {
      const page = await (await fetch(`http://127.0.0.1:${PORT}/`)).text();
      const orderId = new RegExp(`id="order-([^"]+)"[^>]*aria-label="Pedido ${number}"`).exec(page)?.[1];
      const code = action === 'cancel it' ? 'UNAVAILABLE_ITEM' : 'DISH_ALREADY_DONE';
      const data = { code, reason: 'Acabou', mode: 'AUTO' };
      const body = JSON.stringify({ orderId, action: ACTIONS[action as string], data });
      await fetch(DRIVE, { method: 'POST', body });
    }
  };
}

interface RehearsalMessage {
  readonly summary: { readonly rehearsal: { readonly total: number } };
  readonly about: {
    readonly title: string;
    readonly tasks: readonly { id: number; text: string; isQuestion: boolean }[];
  };
  readonly set?: readonly { id: string; state: string }[];
}

/** The first message of a stream of the console has everything. */
async function firstMessage(url: string): Promise<RehearsalMessage> {
  const response = await fetch(url);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return JSON.parse(new TextDecoder().decode(value).replace(/^data: /, '')) as RehearsalMessage;
}

describe('opendelivery certify', () => {
  it('exits with 2 for an unknown script, and names the known ones', async () => {
    const ran = await exits(2, 'certify 98food');
    expect(ran.err).toContain("'98food' is not known");
    for (const { name } of SCRIPTS) expect(ran.err).toContain(name);
    expect(ran.out).toBe('');
  });

  it('writes one JSON document to stdout, and everything else to stderr', { tags: 'slow' }, async () => {
    const clock = new ManualClock();
    const ran = opendelivery(`certify pedidos10 --drive ${DRIVE} --port 0 --report json --lang pt`, {
      clock,
    });
    await isListening(ran);
    // With its token of an earlier rehearsal.
    const headers = { authorization: 'Bearer earlier' };
    const first = await fetch(`${printedIn(ran.err).baseUrl}/opendelivery/v1/orders/1`, { headers });
    expect(first.status).toBe(401);
    await applicationFor(ran, clock);
    const code = await ended(ran, clock);
    const { script, items, notTestable } = reportOf(ran);
    expect(script).toBe('pedidos10');
    expect(items.filter(({ result }) => result !== 'passed')).toEqual([]);
    expect(code).toBe(0);
    expect(items.find(({ id }) => id === '10b')?.title).toBe('O webhook sem token: 401');
    expect(items.find(({ id }) => id === '10b')?.evidence.at(-1)).toMatch(/^\d\d:\d\d:\d\d push .* → 401$/);
    expect(notTestable.map(({ id }) => id)).toEqual(['12']);
    expect(ran.err).toContain('14 aprovados, 0 reprovados, 0 não observados');
    // Neither a credential nor a customer.
    expect(ran.out).not.toMatch(/mock-client-secret|mock-api-key|Ana Souza|12345678909/);
  });

  it.each([
    ['every 85 seconds', 85_000, undefined, /no poll for [6-8]\d\.\d s; expected: one each 30\.0 s/],
    [
      'after three seconds, and then after a minute',
      63_000,
      3000,
      /3\.0 s from one poll to the next; expected: 30\.0/,
    ],
  ])(
    'ifood-order does not pass an application that polls %s',
    { tags: 'slow' },
    async (_pace, windowMs, againAfterMs, reason) => {
      const clock = new ManualClock();
      const ran = opendelivery(`certify ifood-order --drive ${DRIVE} --port 0 --report json`, { clock });
      const pollTwice: HubClientOptions['fetch'] = async (url, init) => {
        if (againAfterMs !== undefined && String(url).endsWith('polling')) {
          void clock.sleep(againAfterMs).then(() => fetch(url, init as RequestInit).catch(() => {}));
        }
        return fetch(url, init as RequestInit);
      };
      const limits = { polling: { requests: 1, windowMs } };
      await isListening(ran);
      await fetch(`${printedIn(ran.err).baseUrl}/opendelivery/v1/orders/1`);
      await applicationFor(ran, clock, { profile: { limits }, fetch: pollTwice });
      expect(await ended(ran, clock)).toBe(1);
      const evidenceOf = (item: string) =>
        reportOf(ran)
          .items.find(({ id }) => id === item)
          ?.evidence.at(-1);
      expect(evidenceOf('1')).toMatch(reason);
      expect(evidenceOf('not functional 1')).toContain('orders/1 was requested before a token was accepted');
    },
  );

  it.each([
    ['the pace of polls', 'ifood-order', '1'],
    // A new token is not renewed by every application.
    ['the renewal of a token', 'opendelivery', '5b'],
  ])('judges %s alone, when only that is left', { tags: 'slow' }, async (_what, script, item) => {
    const { items, name } = SCRIPTS.find((each) => each.name === script) as (typeof SCRIPTS)[number];
    const file = join(temporaryDirectory(), 'results.json');
    const earlier = items.map(({ id }) => ({
      id,
      title: id,
      result: id === item ? 'not seen' : 'passed',
      evidence: [],
    }));
    writeFileSync(file, JSON.stringify({ script: name, items: earlier }));
    const clock = new ManualClock();
    const ran = opendelivery(`certify ${name} --port 0 --report json --continue ${file}`, { clock });
    await applicationFor(ran, clock);
    expect(await ended(ran, clock)).toBe(0);
    expect(reportOf(ran).items.find(({ id }) => id === item)?.result).toBe('passed');
  });

  it('finds out at once that the file of --continue cannot be written', async () => {
    const ran = await exits(2, 'certify ifood-order --port 0 --continue /no/such/folder/passed.json');
    expect(ran.err).toContain('--continue: /no/such/folder/passed.json cannot be written');
  });

  it('asks a person, and goes on from its file after Ctrl-C', { tags: 'slow' }, async () => {
    const file = join(temporaryDirectory(), 'passed.json');
    const clock = new ManualClock();
    const line = `certify ifood-order --port 0 --report json --continue ${file}`;
    const first = opendelivery(line, { clock, input: Object.assign(new PassThrough(), { isTTY: true }) });
    const app = await applicationFor(first, clock);
    // Item 12a needs no person but an answer; nobody gives one.
    const passing = ended(first, clock);
    await soon(() => expect(first.err).toMatch(/\[y\/n\]/));
    interrupt();
    expect(await passing).toBe(1);
    expect(reportOf(first).items.some(({ result }) => result === 'not seen')).toBe(true);
    await app.stop();

    const input = Object.assign(new PassThrough(), { isTTY: true });
    const second = opendelivery(line, { clock, input });
    await applicationFor(second, clock);
    const person = personAt(second, input, (question) => (question.includes('brand') ? 'n' : 'y'));
    const code = await ended(second, clock, person);
    const { items } = reportOf(second);
    const failed = items.filter(({ result }) => result === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(['7']);
    expect(failed[0]?.evidence.at(-1)).toContain("not shown: the card's brand");
    expect(code).toBe(1);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const resultsOf = (all: typeof items) => all.map(({ id, result }) => `${id} ${result}`).sort();
    expect(resultsOf(kept.items)).toEqual(resultsOf(items));
  });

  it('shows items and questions in the console, and takes the answers from there', {
    tags: 'slow',
  }, async () => {
    const clock = new ManualClock();
    const ran = opendelivery('certify pedidos10 --port 0 --report json', { clock });
    await applicationFor(ran, clock);
    const { baseUrl: url } = printedIn(ran.err);
    const person = personAt(ran, new PassThrough(), () => '');
    const seen: RehearsalMessage[] = [];
    const code = await ended(ran, clock, async () => {
      const message = await firstMessage(`${url}/_mock/ui/stream?section=rehearsal`).catch(() => undefined);
      if (!message) return;
      seen.push(message);
      for (const { id, text, isQuestion } of message.about.tasks) {
        if (!isQuestion) continue;
        const body = JSON.stringify({ id, yes: !text.includes('the total') });
        await fetch(`${url}/_mock/ui/answer`, { method: 'POST', body }).catch(() => {});
      }
      await person();
    });
    expect(code).toBe(1);
    const item = reportOf(ran).items.find(({ id }) => id === '2');
    expect(item?.result).toBe('failed');
    expect(item?.evidence.at(-1)).toContain("not shown: the order's number, the item");
    // The question, and that the item was being played.
    const asking = seen.find(({ about }) => about.tasks.some(({ text }) => text.includes('the total')));
    expect(asking?.about.title).toBe('Pedidos10: acceptance list');
    expect(asking?.set?.find(({ id }) => id === '2')?.state).toBe('playing');
    expect(asking?.summary.rehearsal.total).toBe(14);
    expect(seen.flatMap(({ about }) => about.tasks).some(({ isQuestion }) => !isQuestion)).toBe(true);
  });

  it('takes an answer from the console while the terminal waits for that of another question', {
    tags: 'slow',
  }, async () => {
    const clock = new ManualClock();
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const ran = opendelivery('certify ifood-order --port 0 --report json', { clock, input });
    await applicationFor(ran, clock);
    const { baseUrl: url } = printedIn(ran.err);
    const answered: { readonly id: number; readonly text: string }[] = [];
    await ended(ran, clock, async () => {
      const message = await firstMessage(`${url}/_mock/ui/stream?section=rehearsal`).catch(() => undefined);
      const questions = message?.about.tasks.filter(({ isQuestion }) => isQuestion) ?? [];
      if (questions.some(({ id }) => answered.some((each) => each.id === id))) return;
      if (answered.length === 2) return interrupt();
      // The later one first, and then the one that the terminal shows.
      const question = answered.length === 0 ? questions[1] : questions[0];
      if (!question) return;
      answered.push(question);
      const body = JSON.stringify({ id: question.id, yes: true });
      await fetch(`${url}/_mock/ui/answer`, { method: 'POST', body });
    });
    const evidence = reportOf(ran).items.flatMap((item) => item.evidence);
    expect(evidence.filter((line) => line.includes('a person has seen it'))).toHaveLength(2);
    for (const { text } of answered) {
      const details = /: (.*)\?$/.exec(text)?.[1] as string;
      expect(evidence).toContainEqual(expect.stringContaining(` shown: ${details}`));
    }
  });

  it.each(SCRIPTS.map(({ name }) => name))(
    'ends %s within 14 minutes of the hub, also if the application does nothing after its first request',
    { tags: 'slow' },
    async (name) => {
      const clock = new ManualClock();
      const ran = opendelivery(`certify ${name} --port 0 --drive ${DRIVE} --report json`, { clock });
      await isListening(ran);
      await fetch(printedIn(ran.err).baseUrl);
      const beginsAt = clock.now();
      expect(await ended(ran, clock)).toBe(1);
      const { items } = reportOf(ran);
      const times = items.flatMap(({ evidence }) =>
        evidence.map((line) => `2026-01-05T${line.slice(0, 8)}Z`),
      );
      const lastAt = Math.max(...times.map((time) => Date.parse(time)));
      expect(lastAt - beginsAt).toBeLessThanOrEqual(14 * 60_000);
      // A rule that was broken until then is known: the request was for a path that no host has.
      const broken = items.filter(({ evidence }) => evidence.some((line) => line.includes('unknown-path: ')));
      const hasRule = name === '99food' || name === 'opendelivery';
      expect(broken.map(({ result }) => result)).toEqual(hasRule ? ['failed'] : []);
      const unseen = items.filter(({ result }) => result === 'not seen');
      expect(unseen.length).toBeGreaterThan(0);
      for (const { evidence } of unseen)
        expect(evidence.at(-1)).toMatch(/the time of the rehearsal was over|the application did not poll/);
    },
  );

  it.each([
    ['nothing is left', {}, 'all'],
    ['an item failed', { '4.5a': 'failed' }, 'others'],
    ['the time was over: nothing was broken until then', { '7e': 'not seen', '8a': 'not seen' }, 'others'],
    ['a rule was broken, and another item failed', { '4.5a': 'failed', '8a': 'failed' }, 'none'],
    ['only rules are left', { '8a': 'not seen', '4.x': 'not seen' }, 'none'],
    ['a rule was never judged', { '4.5a': 'failed', '8a': undefined }, 'none'],
  ] as const)('keeps what was passed before, if %s', (_title, open, kept) => {
    const script = SCRIPTS.find(({ name }) => name === 'opendelivery') as (typeof SCRIPTS)[number];
    const results = new Map(
      script.items.flatMap(({ id }) => {
        const result = id in open ? open[id as keyof typeof open] : 'passed';
        return result ? [[id, { id, title: '', result, evidence: [] }] as const] : [];
      }),
    );
    const passed = [...results.values()].filter(({ result }) => result === 'passed').map(({ id }) => id);
    expect([...passedEarlier(script, results).keys()]).toEqual(kept === 'none' ? [] : passed);
  });

  it.each([
    ['opendelivery', '4.4a', ['6.1f', '4.4a']],
    ['pedidos10', '5', ['2', '3', '4', '5']],
  ])('plays the earlier items of an order again, from which %s %s goes on', (name, open, played) => {
    const script = SCRIPTS.find((each) => each.name === name) as (typeof SCRIPTS)[number];
    const results = script.items.map(({ id }) => {
      const result = id === open ? ('not seen' as const) : ('passed' as const);
      return [id, { id, title: '', result, evidence: [] }] as const;
    });
    const kept = passedEarlier(script, new Map(results));
    expect(script.items.map(({ id }) => id).filter((id) => !kept.has(id))).toEqual(played);
  });

  it('waits for no application if every item was passed before', async () => {
    const { items, name } = SCRIPTS[0] as (typeof SCRIPTS)[number];
    const file = join(temporaryDirectory(), 'passed.json');
    const passed = items.map(({ id }) => ({ id, title: id, result: 'passed', evidence: [] }));
    writeFileSync(file, JSON.stringify({ script: name, items: passed }));
    const ran = await exits(0, `certify ${name} --port 0 --report json --continue ${file}`);
    expect(reportOf(ran).items.map(({ result }) => result)).toEqual(passed.map(() => 'passed'));
  });

  it('does not take the file of another script', async () => {
    const file = join(temporaryDirectory(), 'passed.json');
    writeFileSync(file, '{"script":"99food","items":[]}');
    const ran = await exits(2, `certify pedidos10 --port 0 --continue ${file}`);
    expect(ran.err).toContain('--continue');
    expect(existsSync(file)).toBe(true);
  });

  it('writes a page that loads nothing, in the language of the reader', async () => {
    const clock = new ManualClock();
    const ran = opendelivery('certify 99food --port 0 --report html --lang pt', { clock });
    await isListening(ran);
    interrupt();
    expect(await ran.code).toBe(1);
    expect(ran.out).toMatch(/^<!doctype html>\n<html lang="pt-BR">/);
    expect(ran.out).toContain("default-src 'none'");
    expect(ran.out).not.toMatch(/<script|<img|<link|url\(|src=/);
    expect(ran.out.match(/não observado<\/b>/g)).toHaveLength(28);
    expect(ran.out).toContain('Não testável aqui');
  });
});

describe('the scripts', () => {
  it('have at least sixty items, each with its own id and both languages', () => {
    const items = SCRIPTS.flatMap((script) => script.items);
    expect(items.length).toBeGreaterThanOrEqual(60);
    for (const { name, items: own, orders, notTestable } of SCRIPTS) {
      expect(new Set(own.map(({ id }) => id)).size, name).toBe(own.length);
      for (const { id, title, steps } of own) {
        expect(title.en && title.pt && steps.length > 0, `${name} ${id}`).toBeTruthy();
      }
      for (const { title, reason } of notTestable) expect(title.pt && reason.en && reason.pt).toBeTruthy();
      // Every order belongs to an item.
      expect(own.map(({ order }) => order)).toEqual(expect.arrayContaining(Object.keys(orders)));
    }
  });

  it.each([
    ['ifood-order', [...range(1, 16), 'not functional 1', 'not functional 2', 'wish 1', 'wish 2']],
    ['99food', [...range(0, 9), '4b']],
    ['pedidos10', range(1, 12)],
  ])('%s has every item of the list of its host', (name, numbers) => {
    const script = SCRIPTS.find((each) => each.name === name);
    const ids = [...(script?.items ?? []), ...(script?.notTestable ?? [])].map(({ id }) => id);
    const missing = numbers.filter((number) => !ids.some((id) => id === number || isPart(id, number)));
    expect(missing).toEqual([]);
  });
});

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
}

/** `11a` and `2.13` are parts of 11 and 2. */
const isPart = (id: string, number: string) =>
  id.startsWith(number) && /^(?:[a-z]|\.\d+)$/.test(id.slice(number.length));
