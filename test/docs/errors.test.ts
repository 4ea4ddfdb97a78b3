import { type CartError, isHubError, Menu } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { stage } from '../support.js';

it('switches on the code of an error', async () => {
  const { hub, mock } = stage();
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  // #region switch
  async function dispatch(orderId: string): Promise<void> {
    try {
      await hub.orders.dispatch(orderId);
    } catch (error) {
      if (!isHubError(error)) throw error;
      switch (error.code) {
        case 'rate_limit':
          return void say(`try again in ${error.retryAfterMs} ms`);
        case 'not_found':
          return void say('the hub does not know this order');
        case 'unexpected_status':
          if (error.status === 422) return void say('the order is not in a state to be dispatched');
          throw error;
        default:
          if (error.outcome === 'unknown') return void say('read the order before you try again');
          throw error;
      }
    }
  }
  // #endregion
  const { orderId } = mock.createOrder();
  await dispatch(orderId);
  await dispatch('an order of another hub');
  mock.faults.next('orderStatus', 502);
  await dispatch(orderId);
  expect(said).toEqual([
    'the order is not in a state to be dispatched',
    'the hub does not know this order',
    'read the order before you try again',
  ]);
});

it('reports every deviation of a document as an issue', async () => {
  const { hub, mock } = stage();
  mock.publishMerchant((merchant) => {
    merchant.itemOffers[0].price.value = '54.90';
    delete merchant.items[0].status;
    merchant.items.push({ name: 'without an id' });
  });
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  // #region issues
  const { merchant, issues } = await hub.merchant.get();
  for (const { path, code, message, against } of issues) {
    if (against !== 'spec') log(`${path.join('.')}: ${message} (${code}, against the ${against})`);
  }
  // #endregion
  expect(merchant.items).toHaveLength(4);
  expect(issues.map(({ path, code, against }) => [path.join('.'), code, against])).toEqual([
    ['itemOffers.0.price.value', 'coerced', 'standard'],
    ['items.0.status', 'defaulted', 'spec'],
    ['items.4.id', 'missing', 'standard'],
    ['items.4', 'left_out', 'sense'],
  ]);
  expect(lines).toHaveLength(3);
});

it('gives all faults of a cart at once', async () => {
  const { hub } = stage();
  const menu = new Menu((await hub.merchant.get()).merchant);
  try {
    menu.priceCart({ items: [{ offerId: 'gone' }, { offerId: 'gone too' }] });
    expect.unreachable();
  } catch (error) {
    expect((error as CartError).faults.map(({ code }) => code)).toEqual(['unknown_offer', 'unknown_offer']);
  }
});

it('rejects an aborted call with the reason of its signal', async () => {
  const { hub } = stage();
  const reason = new Error('the user has left the page');
  // #region abort
  const controller = new AbortController();
  const reading = hub.merchant.get({ signal: controller.signal, timeoutMs: 5_000, retry: { attempts: 2 } });
  controller.abort(reason); // the call rejects with this reason, not with a HubError
  // #endregion
  await expect(reading).rejects.toBe(reason);
});
