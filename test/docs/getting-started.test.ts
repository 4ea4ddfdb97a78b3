import { HubClient } from 'opendelivery-client';
import { afterEach, expect, it, vi } from 'vitest';
import { stage } from '../support.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('reads the menu and one poll, and acknowledges nothing', async () => {
  const { mock, hub: other } = stage();
  await other.close();
  const { event } = mock.createOrder();
  vi.stubEnv('HUB_BASE_URL', mock.baseUrl);
  vi.stubEnv('HUB_CLIENT_ID', mock.credentials.clientId);
  vi.stubEnv('HUB_CLIENT_SECRET', mock.credentials.clientSecret);
  vi.stubEnv('HUB_API_KEY', mock.credentials.apiKey);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  // #region first-look
  const hub = HubClient.fromEnv(); // HUB_BASE_URL, HUB_BASE_PATH, HUB_CLIENT_ID, HUB_CLIENT_SECRET, HUB_API_KEY
  const { merchant } = await hub.merchant.get();
  const { events } = await hub.events.poll(); // acknowledges nothing
  console.log(`${merchant.basicInfo.name}: ${events.length} events are pending`);
  await hub.close();
  // #endregion
  expect(log).toHaveBeenCalledWith('Forno da Vila: 1 events are pending');
  expect(mock.pending()).toEqual([event]);
});
