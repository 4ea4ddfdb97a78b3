import { type AcknowledgeableEvent, HubClient, type HubClientOptions } from 'opendelivery-client';
import { main } from '../../examples/poller.js';

/** A wrong client, which the demo must detect: it acknowledges events before a listener has handled them. */
class AcknowledgeFirst extends HubClient {
  constructor(options: HubClientOptions) {
    super({
      ...options,
      fetch: async (url, init) => {
        const response = await fetch(url, init as RequestInit);
        if (String(url).endsWith('events:polling') && response.status === 200) {
          await this.events.acknowledge((await response.clone().json()) as AcknowledgeableEvent[]);
        }
        return response;
      },
    });
  }
}

await main(AcknowledgeFirst);
