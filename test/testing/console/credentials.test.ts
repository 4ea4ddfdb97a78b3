import { expect, it } from 'vitest';
import { plain } from '../../fixtures/plain.js';
import { opened, send, servedConsole } from './support.js';

const SECTIONS = ['orders', 'events', 'requests', 'violations', 'limits', 'faults', 'time', 'menu', 'script'];

/** Two stores whose credentials are strings that JSON and paths must escape. */
const stores = [
  { clientId: '1001', clientSecret: 'secret "of" 1001 \\ €', apiKey: 'key/of?1001&é' },
  { clientId: '2002', clientSecret: 'secret-of-2002', apiKey: 'key-of-store-2002' },
];

it('sends no credential that the hub holds, wherever a client or a person has written it', async () => {
  const { url, mock } = await servedConsole({ stores });
  const tokens: string[] = [];
  for (const store of stores) {
    tokens.push(await plain(mock, fetch, url).token(store));
  }
  const secrets = [...tokens, ...stores.flatMap(({ clientSecret, apiKey }) => [clientSecret, apiKey])];
  // In free text, where no mask of the journal looks for them.
  for (const [index, secret] of secrets.entries()) {
    const encoded = encodeURIComponent(secret);
    await fetch(`${url}/nowhere/${encoded}`);
    await fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': encoded, 'x-note': encoded } });
    const { orderId } = mock.createOrder({
      customer: { name: secret },
      displayId: secret,
      extraInfo: `say ${secret}`,
    });
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata: { reason: secret } });
    await fetch(`${url}/opendelivery/v1/orders/${orderId}/requestCancellation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: `because ${secret}`, code: 'X', mode: secret }),
    });
    await send(url, 'POST', 'orders', { extraInfo: `${index} ${secret}` });
  }
  const third = { clientId: '3003', clientSecret: 'secret-of-3003', apiKey: 'key-of-store-3003' };
  await send(url, 'POST', 'stores', third);
  secrets.push(third.clientSecret, third.apiKey);

  const sent: string[] = [];
  for (const section of SECTIONS) {
    sent.push((await opened(url, section)).reader.text);
  }
  const paths = [
    'ui',
    'ui/page.js',
    'ui/script',
    ...mock.requests.map((_, index) => `ui/request?number=${index + 1}`),
  ];
  for (const { orderId } of mock.emitted()) paths.push(`ui/order?clientId=1001&orderId=${orderId}`);
  paths.push('violations', 'stores/1001/violations');
  for (const path of paths) sent.push(await (await fetch(`${url}/_mock/${path}`)).text());
  const violations = JSON.stringify(mock.violations());
  expect(violations).toContain("mode: must be 'AUTO' or 'MANUAL'; it is '[token 1]'");
  sent.push(violations);
  const all = sent.join('\n');
  expect(all).toContain('[token 1]');
  expect(all).toMatch(/\[client secret \d\]/);
  for (const secret of secrets) {
    for (const spelling of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      expect(all.includes(spelling), spelling).toBe(false);
    }
  }
});
