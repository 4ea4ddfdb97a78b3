import { HubClient, type HubClientOptions } from 'opendelivery-client';
import { main } from '../../examples/poller.js';

/** A wrong client, which the demo must detect: it acknowledges events before a listener has handled them. */
class AcknowledgeFirst extends HubClient {
  constructor(options: HubClientOptions) {
    super(options);
    const { events } = this;
    const poll = events.pollLeased.bind(events);
    events.pollLeased = async (pollOptions) => {
      const result = await poll(pollOptions);
      await events.acknowledge(result.events);
      return result;
    };
  }
}

await main(AcknowledgeFirst, 400);
