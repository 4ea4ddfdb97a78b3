import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { programOf } from '../programs.js';
import { requestsTo } from '../support.js';
import { temporaryDirectory } from '../temporary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The words of `npm run ordering-app`, which runs the sources. */
const [, ...SCRIPT] = manifest.scripts['ordering-app'].split(' ');

/** Starts the application as its users do, in real time. */
function run(environment: Record<string, string>, words = [programOf('examples/ordering-app/main.ts')]) {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, HUB_BASE_URL: '', NODE_OPTIONS: '', PORT: '0', ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exit = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  return {
    exit,
    url: async () => {
      await expect.poll(() => output, { timeout: 50_000 }).toMatch(/http:\S+/);
      return /http:\S+/.exec(output)?.[0] as string;
    },
    interrupt: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return exit;
    },
  };
}

const textAt = async (url: string) => (await fetch(url)).text();

async function realHub() {
  const mock = createMockHub();
  const server = await mock.listen();
  onTestFinished(async () => void (await server.close()));
  const { clientId, clientSecret } = mock.credentials;
  return {
    mock,
    environment: { HUB_BASE_URL: server.url, HUB_CLIENT_ID: clientId, HUB_CLIENT_SECRET: clientSecret },
  };
}

it('uses a mock hub if no hub is set, and stops on Ctrl-C while a page is open', async () => {
  const { url, interrupt } = run({});
  const page = await url();
  await expect.poll(() => textAt(page), { timeout: 20_000 }).toContain('Ana Souza');
  // An idle connection, as browsers open them in advance.
  const spare = connect(Number(new URL(page).port), '127.0.0.1');
  spare.on('error', () => {}); // the server closes it
  await once(spare, 'connect');
  const { code, output } = await interrupt('SIGINT');
  expect(output).toMatch(/closed on SIGINT: \d+ handled, \d+ acknowledged, 0 left at the hub/);
  expect(code).toBe(0);
});

it('starts from its sources with npm run ordering-app', async () => {
  const { url, interrupt } = run({}, SCRIPT);
  expect(await textAt(await url())).toContain('Pedidos');
  expect((await interrupt('SIGINT')).code).toBe(0);
});

it('works with the hub of the environment, and loads its orders after a restart', async () => {
  const DATA_DIR = temporaryDirectory();
  const { mock, environment } = await realHub();
  const { orderId } = mock.createOrder({ customer: { name: 'Ana' } });
  const first = run({ ...environment, DATA_DIR });
  const page = await first.url();
  await expect.poll(() => textAt(page), { timeout: 20_000 }).toContain(`order-${orderId}`);
  const body = new URLSearchParams({ orderId, command: 'confirm' });
  const response = await fetch(`${page}/commands`, { method: 'POST', headers: { origin: page }, body });
  expect(response.status).toBe(200);
  expect((await first.interrupt('SIGTERM')).code).toBe(0);
  expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED', 'CONFIRMED']);
  expect(mock.acknowledged().map(({ eventType }) => eventType)).toEqual(['CREATED']);
  const second = run({ ...environment, DATA_DIR });
  const again = await second.url();
  expect(await textAt(again)).toContain(`order-${orderId}`);
  const history = await textAt(`${again}/orders/${orderId}/history`);
  expect(history).toMatch(/Evento: Novo.*Comando: Confirmar.*Aceito pelo hub/s);
  expect((await second.interrupt('SIGTERM')).code).toBe(0);
  expect(requestsTo(mock, 'token')).toHaveLength(1);
});

it('confirms an order exactly once if it is killed after its commit, and before the command has left', async () => {
  const DATA_DIR = temporaryDirectory();
  const { mock, environment } = await realHub();
  mock.faults.next('orderStatus', 'hang');
  const { orderId } = mock.createOrder();
  const first = run({ ...environment, DATA_DIR, AUTO_CONFIRM: '1' });
  await expect.poll(() => requestsTo(mock, 'orderStatus').length, { timeout: 20_000 }).toBe(1);
  await first.interrupt('SIGKILL');
  expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED']);
  const second = run({ ...environment, DATA_DIR, AUTO_CONFIRM: '1' });
  const types = () => mock.emitted().map(({ eventType }) => eventType);
  await expect.poll(types, { timeout: 90_000 }).toEqual(['CREATED', 'CONFIRMED']);
  const page = await second.url();
  const history = () => textAt(`${page}/orders/${orderId}/history`);
  await expect.poll(history, { timeout: 20_000 }).toMatch(/Comando automático: Confirmar.*Aceito pelo hub/s);
  expect((await second.interrupt('SIGTERM')).code).toBe(0);
  expect(types()).toEqual(['CREATED', 'CONFIRMED']);
}, 150_000);

it('exits with an error if the hub refuses the credentials', async () => {
  const { environment } = await realHub();
  const { code, output } = await run({ ...environment, HUB_CLIENT_SECRET: 'wrong' }).exit;
  expect(output).toContain('AuthenticationError');
  expect(code).toBe(1);
});
