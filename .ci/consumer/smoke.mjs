/** What an application does on any platform: a token, the menu, a poll, listeners, acknowledgments, commands, errors, retries. */
export async function smoke({ HubClient, fileState, isHubError, Menu }, { directory, ...options }) {
  const retries = [];
  const hub = new HubClient({ ...options, retry: { minDelayMs: 1 } });
  const problemOf = (create) => {
    try {
      create();
      return 'none';
    } catch (error) {
      return isHubError(error) ? error.name : String(error);
    }
  };
  hub.on('retry', ({ endpoint }) => retries.push(endpoint));

  const { expiresAt } = await hub.auth.getToken();
  // The first request for the menu fails, so that the lazily loaded retries are there too.
  const { merchant } = await hub.merchant.get();
  const menu = new Menu(merchant);
  const missing = await hub.orders.get('unknown').catch((error) => isHubError(error) && error.name);

  const handled = [];
  const errors = [];
  const poller = hub.poller();
  poller.on('error', (error) => errors.push(error.message));
  poller.on('CREATED', async ({ eventId, orderId }) => {
    const { order } = await hub.orders.get(orderId);
    await hub.orders.confirm(order.id);
    handled.push(eventId);
  });
  const once = await poller.runOnce();

  let stopped;
  poller.on('CONFIRMED', async ({ eventId }) => {
    handled.push(eventId);
    // Does not wait for this listener: the platform has to say which one is calling.
    stopped = await poller.stop();
  });
  const isAcknowledged = new Promise((resolve) => {
    poller.on('acknowledged', resolve);
  });
  await poller.start().catch((error) => {
    if (error.code !== 'closed') throw error; // stopped before the first poll was complete
  });
  await isAcknowledged;
  await hub.close();
  return {
    files: problemOf(() => fileState(directory)),
    dispatcher: problemOf(() => new HubClient({ ...options, dispatcher: { dispatch: () => true } })),
    tokenIsValid: expiresAt > Date.now(),
    store: merchant.basicInfo.name,
    categories: menu.services.flatMap(({ categories }) => categories).length,
    missing,
    retries,
    once: { handled: once.handled, acknowledged: once.acknowledged },
    handled,
    errors,
    timedOut: stopped.timedOut,
  };
}
