import { type HostProfile, HubClient, type HubClientOptions } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';

/** Each endpoint once, by a client with one profile at a mock hub with another: an order is received, confirmed and acknowledged. */
export async function oneOrder(
  ofClient: HostProfile,
  ofMock: HostProfile,
  options: Partial<HubClientOptions> = {},
) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, profile: ofMock });
  const { orderId } = mock.createOrder();
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    fetch: mock.fetch,
    profile: ofClient,
    clock,
    logger: false,
    ...options,
  });
  const run = async () => {
    const { events } = await hub.events.poll();
    await hub.orders.get(orderId);
    await hub.orders.confirm(orderId);
    await hub.merchant.get();
    const { acknowledged, rejected } = await hub.events.acknowledge(events);
    if (rejected[0]) throw rejected[0].error;
    return acknowledged;
  };
  try {
    return { mock, result: await run() };
  } catch (error) {
    return { mock, error };
  } finally {
    await hub.close();
  }
}
