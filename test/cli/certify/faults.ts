// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources
import type { Mistake, ScriptName } from './rehearsal.js';

/** A mistake, and the item of a script that names it. */
export interface Fault extends Mistake {
  readonly script: ScriptName;
  readonly item: string;
}

const fault = (script: ScriptName, item: string, file: string, correct: string, wrong: string): Fault => ({
  script,
  item,
  file,
  correct,
  wrong,
});

/** Single mistakes, one in a copy of the application each. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  TypeScript: [
    fault('99food', '2.13', 'receiver.ts', 'outbox.confirm(orderId, confirmation(order));', ''),
    fault('99food', '6', 'receiver.ts', "poller.on('event',", "poller.on('CREATED',"),
    fault(
      '99food',
      '2.1',
      'ticket.ts',
      'const { displayId = orderId, merchant,',
      "const displayId = ''; const { merchant,",
    ),
    fault('99food', '2.2', 'order-parts.ts', 'money(total?.orderAmount)', 'money(total?.itemsPrice)'),
    fault('99food', '2.3', 'order-parts.ts', '...otherFees.map(', '...otherFees.slice(1).map('),
    fault('99food', '2.4', 'order-parts.ts', 'changeFor > value ?', 'false ?'),
    fault(
      '99food',
      '2.5',
      'order-parts.ts',
      "type === 'DELIVERY' ? delivery?.deliveredBy",
      "type === '' ? delivery?.deliveredBy",
    ),
    fault('99food', '2.6', 'ticket.ts', '${extraInfo && html`<p><mark>${extraInfo}</mark></p>`}', ''),
    fault('99food', '2.7', 'order-parts.ts', "'Desconto', ...sponsors(sponsorshipValues)", "'Desconto'"),
    fault(
      '99food',
      '2.8',
      'order-parts.ts',
      '<li><b>Cobrar: ${amount}</b>${change}</li>',
      '<li><b>Cobrar</b>${change}</li>',
    ),
    fault(
      '99food',
      '2.9',
      'order-parts.ts',
      "${options.map((option) => html`<br />+ ${option.quantity ?? ''} ${option.name}`)}",
      '',
    ),
    fault(
      '99food',
      '2.10',
      'order-parts.ts',
      '${specialInstructions && html`<br /><mark>${specialInstructions}</mark>`}',
      '',
    ),
    fault('99food', '2.11', 'order-parts.ts', "joined(', ', place, complement,", "joined(', ', place,"),
    fault(
      '99food',
      '4b',
      'commands.ts',
      'return orders[command](orderId);',
      "return orders[command === 'pickedUp' ? 'delivered' : command](orderId);",
    ),
    fault(
      '99food',
      '5.1',
      'commands.ts',
      '{ code, reason: text, mode }',
      "{ code, reason: text, mode: 'MANUAL' }",
    ),
    fault(
      '99food',
      '7.2',
      'commands.ts',
      'return orders.denyCancellation(orderId, { code, reason: text });',
      'return orders.acceptCancellation(orderId);',
    ),
    fault(
      '99food',
      '8.2',
      'drive.ts',
      'return response.ok ? c.body(null, 204) : response;',
      'return c.body(null, 204);',
    ),
    fault('99food', '8.3', 'drive.ts', 'if (shop !== merchant.id)', 'if (false)'),
    fault(
      'ifood-order',
      '7',
      'order-parts.ts',
      "joined(' ', paymentMethod(method), brand,",
      "joined(' ', paymentMethod(method),",
    ),
    fault('ifood-order', '4', 'ticket.ts', '${scheduleLine(details)}', ''),
  ],
  Python: [
    fault('pedidos10', '9', 'ordering_app.py', 'if event["eventId"] not in self.handled:', 'if True:'),
    fault('ifood-order', 'not functional 1', 'ordering_app.py', 'if self._token is None or', 'if True or'),
    fault(
      'ifood-order',
      '1',
      'ordering_app.py',
      '                self._wait_for_next_poll()',
      '                pass',
    ),
    fault(
      'ifood-order',
      '16',
      'ticket.py',
      'yield note("Código de coleta", delivery.get("pickupCode"))',
      'yield ""',
    ),
    fault('99food', '6', 'ordering_app.py', '    "CANCELLED",\n]', ']'),
    fault(
      '99food',
      '7.2',
      'ordering_app.py',
      'if STAGES.index(stage) < STAGES.index("READY_FOR_PICKUP"):',
      'if True:',
    ),
    fault(
      'opendelivery',
      '6.2b',
      'ordering_app.py',
      'and STAGES.index(event_type) > STAGES.index(known["stage"])',
      '',
    ),
    fault(
      'opendelivery',
      '7a',
      'ordering_app.py',
      'self.clock.sleep(float(error.headers.get("retry-after", 60)))',
      'pass',
    ),
    fault('opendelivery', '4.4a', 'ordering_app.py', 'items[start : start + 100]', 'items'),
    fault('opendelivery', '5b', 'ordering_app.py', 'self._token = None  # revoked', 'pass  # revoked'),
  ],
  PHP: [
    fault('pedidos10', '10b', 'drive.php', "if ($signature === '') {", 'if (false) {'),
    fault(
      'pedidos10',
      '11',
      'drive.php',
      "if (($headers['x-app-merchantid'] ?? '') !== $this->hub->merchant()['id']) {",
      'if (false) {',
    ),
    fault('pedidos10', '6', 'drive.php', "$request['data'] ?? null", 'null'),
    fault('99food', '2.2', 'ticket.php', "$order['total']['orderAmount']", "$order['total']['itemsPrice']"),
    fault(
      '99food',
      '9.2',
      'ordering-app.php',
      '. "/$command", $body, 1)',
      ". '/' . strtolower($command), $body, 1)",
    ),
    fault(
      'ifood-order',
      '2',
      'ordering-app.php',
      '$this->hub->acknowledge($events);',
      '$this->hub->acknowledge(array_slice($events, 0, 5));',
    ),
    fault(
      'ifood-order',
      '14',
      'ticket.php',
      "yield self::note('CPF/CNPJ', $order['customer']['documentNumber'] ?? null);",
      '',
    ),
    fault(
      'opendelivery',
      '4.x',
      'ordering-app.php',
      "private const POLLING = '/v1/events:polling';",
      "private const POLLING = '/v1/events:polling?eventType=CREATED';",
    ),
    fault(
      'opendelivery',
      '4.5j',
      'ordering-app.php',
      "['createdAt' => $order['createdAt'], 'orderExternalCode' => $orderId]",
      "['orderExternalCode' => $orderId]",
    ),
    fault(
      'opendelivery',
      '6.1c',
      'ordering-app.php',
      "$type === 'ORDER_CANCELLATION_REQUEST'",
      "$type === 'CANCELLED'",
    ),
  ],
};
