import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listener's write to the row of its order. */
export interface Write {
  readonly eventId: string;
  readonly orderId: string;
  readonly eventType: string;
  readonly fence: number;
  readonly pid: number;
}

interface Row {
  readonly fence: number;
  readonly eventType: string;
}

/** The application's database: one row for each order, written `where fence <= $1`. */
export class Register {
  readonly rows = new Map<string, Row>();
  /** The same without the check, as in an application that ignores the fence. */
  readonly unchecked = new Map<string, string>();
  readonly writes: (Write & { readonly isAccepted: boolean })[] = [];
  #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.writeHead(this.#write(JSON.parse(String(Buffer.concat(chunks))) as Write) ? 200 : 409).end();
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #write(write: Write): boolean {
    const { orderId, eventType, fence } = write;
    const isAccepted = fence >= (this.rows.get(orderId)?.fence ?? 0);
    if (isAccepted) this.rows.set(orderId, { fence, eventType });
    this.unchecked.set(orderId, eventType);
    this.writes.push({ ...write, isAccepted });
    return isAccepted;
  }
}

/** A breach for each accepted write whose fence is smaller than that of an earlier write to the same row. */
export function backwardWrites(register: Register): string[] {
  const breaches: string[] = [];
  const greatest = new Map<string, number>();
  for (const { orderId, eventId, fence, isAccepted } of register.writes) {
    if (!isAccepted) continue;
    const before = greatest.get(orderId) ?? 0;
    if (fence < before) breaches.push(`${eventId} was written with fence ${fence} after ${before}`);
    greatest.set(orderId, Math.max(before, fence));
  }
  for (const [orderId, fence] of greatest) {
    if (register.rows.get(orderId)?.fence !== fence)
      breaches.push(`the row of ${orderId} does not have its greatest fence`);
  }
  return breaches;
}
