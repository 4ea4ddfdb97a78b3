// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources
import { expect } from 'vitest';
import { type Language, type Mistake, rehearsed, type ScriptName } from './rehearsal.js';

/** A mistake, and the item of a script that names it. */
export interface Fault extends Mistake {
  readonly item: string;
}

/** An application with mistakes that do not hide each other, and the script that finds them. */
export interface FaultyApplication {
  readonly script: ScriptName;
  readonly faults: readonly Fault[];
}

const fault = (item: string, file: string, correct: string, wrong: string): Fault => ({
  item,
  file,
  correct,
  wrong,
});

/** Faulty applications in each language. */
export const FAULTS: Readonly<Record<string, readonly FaultyApplication[]>> = {
  TypeScript: [
    {
      script: '99food',
      faults: [
        fault(
          '2.1',
          'ticket.ts',
          'const { displayId = orderId, merchant,',
          "const displayId = ''; const { merchant,",
        ),
        fault('2.2', 'order-parts.ts', 'money(total?.orderAmount)', 'money(total?.itemsPrice)'),
        fault('2.3', 'order-parts.ts', '...otherFees.map(', '...otherFees.slice(1).map('),
        fault('2.4', 'order-parts.ts', 'changeFor > value ?', 'false ?'),
        fault(
          '2.5',
          'order-parts.ts',
          "type === 'DELIVERY' ? delivery?.deliveredBy",
          "type === '' ? delivery?.deliveredBy",
        ),
        fault('2.6', 'ticket.ts', '${extraInfo && html`<p><mark>${extraInfo}</mark></p>`}', ''),
        fault('2.7', 'order-parts.ts', "'Desconto', ...sponsors(sponsorshipValues)", "'Desconto'"),
        fault(
          '2.8',
          'order-parts.ts',
          '<li><b>Cobrar: ${amount}</b>${change}</li>',
          '<li><b>Cobrar</b>${change}</li>',
        ),
        fault(
          '2.9',
          'order-parts.ts',
          "${options.map((option) => html`<p>+ ${option.quantity ?? ''} ${option.name}</p>`)}",
          '',
        ),
        fault(
          '2.10',
          'order-parts.ts',
          '${specialInstructions && html`<p><mark>${specialInstructions}</mark></p>`}',
          '',
        ),
        fault('2.11', 'order-parts.ts', "joined(', ', place, complement,", "joined(', ', place,"),
      ],
    },
    {
      script: '99food',
      faults: [
        fault(
          '4b',
          'commands.ts',
          'return orders[command](orderId);',
          "return orders[command === 'pickedUp' ? 'delivered' : command](orderId);",
        ),
        fault('5.1', 'commands.ts', '{ code, reason: text, mode }', "{ code, reason: text, mode: 'MANUAL' }"),
        fault(
          '7.2',
          'commands.ts',
          'return orders.denyCancellation(orderId, { code, reason: text });',
          'return orders.acceptCancellation(orderId);',
        ),
        fault(
          '8.2',
          'drive.ts',
          'return response.ok ? c.body(null, 204) : response;',
          'return c.body(null, 204);',
        ),
        fault('8.3', 'drive.ts', 'if (shop !== merchant.id)', 'if (false)'),
      ],
    },
    {
      script: '99food',
      faults: [fault('2.13', 'receiver.ts', 'outbox.confirm(orderId, confirmation(order));', '')],
    },
    { script: '99food', faults: [fault('6', 'receiver.ts', "poller.on('event',", "poller.on('CREATED',")] },
    {
      script: 'ifood-order',
      faults: [
        fault(
          '7',
          'order-parts.ts',
          "joined(' ', paymentMethod(method), brand,",
          "joined(' ', paymentMethod(method),",
        ),
        fault('4', 'ticket.ts', '${scheduleLine(details)}', ''),
      ],
    },
  ],
  Python: [
    {
      script: 'pedidos10',
      faults: [fault('9', 'ordering_app.py', 'if event["eventId"] not in self.handled:', 'if True:')],
    },
    {
      script: 'ifood-order',
      faults: [fault('not functional 1', 'ordering_app.py', 'if self._token is None or', 'if True or')],
    },
    {
      script: 'ifood-order',
      faults: [
        fault('1', 'ordering_app.py', '                self._wait_for_next_poll()', '                pass'),
        fault('16', 'ticket.py', 'yield note("Código de coleta", delivery.get("pickupCode"))', 'yield ""'),
      ],
    },
    {
      script: '99food',
      faults: [
        fault('6', 'ordering_app.py', '    "CANCELLED",\n]', ']'),
        fault(
          '7.2',
          'ordering_app.py',
          'if STAGES.index(stage) < STAGES.index("READY_FOR_PICKUP"):',
          'if True:',
        ),
      ],
    },
    {
      script: 'opendelivery',
      faults: [
        fault('6.2b', 'ordering_app.py', 'and STAGES.index(event_type) > STAGES.index(known["stage"])', ''),
        fault('4.4a', 'ordering_app.py', 'items[start : start + 100]', 'items'),
      ],
    },
    {
      script: 'opendelivery',
      faults: [
        fault(
          '7a',
          'ordering_app.py',
          'self.clock.sleep(float(error.headers.get("retry-after", 60)))',
          'pass',
        ),
        fault('5b', 'ordering_app.py', 'self._token = None  # revoked', 'pass  # revoked'),
      ],
    },
  ],
  PHP: [
    {
      script: 'pedidos10',
      faults: [
        fault('10b', 'drive.php', "if ($signature === '') {", 'if (false) {'),
        fault(
          '11',
          'drive.php',
          "if (($headers['x-app-merchantid'] ?? '') !== $this->hub->merchant()['id']) {",
          'if (false) {',
        ),
        fault('6', 'drive.php', "$request['data'] ?? null", 'null'),
      ],
    },
    {
      script: '99food',
      faults: [
        fault('2.2', 'ticket.php', "$order['total']['orderAmount']", "$order['total']['itemsPrice']"),
        fault(
          '9.2',
          'ordering-app.php',
          '. "/$command", $body, 1)',
          ". '/' . strtolower($command), $body, 1)",
        ),
      ],
    },
    {
      script: 'ifood-order',
      faults: [
        fault(
          '2',
          'ordering-app.php',
          '$this->hub->acknowledge($events);',
          '$this->hub->acknowledge(array_slice($events, 0, 5));',
        ),
        fault(
          '14',
          'ticket.php',
          "yield self::note('CPF/CNPJ', $order['customer']['documentNumber'] ?? null);",
          '',
        ),
      ],
    },
    {
      script: 'opendelivery',
      faults: [
        fault(
          '4.x',
          'ordering-app.php',
          "private const POLLING = '/v1/events:polling';",
          "private const POLLING = '/v1/events:polling?eventType=CREATED';",
        ),
        fault(
          '4.5j',
          'ordering-app.php',
          "['createdAt' => $order['createdAt'], 'orderExternalCode' => $orderId]",
          "['orderExternalCode' => $orderId]",
        ),
        fault('6.1c', 'ordering-app.php', "$type === 'ORDER_CANCELLATION_REQUEST'", "$type === 'CANCELLED'"),
      ],
    },
  ],
};

/** The script must name each fault, in the time of a patient programmer. */
export async function expectFaultsFound(
  language: Language,
  { script, faults }: FaultyApplication,
): Promise<void> {
  const { code, items, output, seconds } = await rehearsed(script, language, faults);
  const failed = items.filter(({ result }) => result === 'failed').map(({ id }) => id);
  expect(failed, output).toEqual(expect.arrayContaining(faults.map(({ item }) => item)));
  expect(code).toBe(1);
  expect(output).not.toMatch(/SyntaxError|ParseError|syntax error/);
  expect(seconds).toBeLessThan(60);
}
