import { parseJson } from '../reading/json.js';
import { isFinalStage } from '../schemas/event-types.js';
import type { Json } from './fixtures.js';
import type { MockOrder } from './mock-store.js';
import { type MockResponse, problem } from './response.js';
import type { MockRequest, Route } from './router.js';

/** The one query parameter of the standard's order endpoints. */
export const isCodeQuery = ({ parameters }: Route, query: URLSearchParams): boolean =>
  parameters.status === 'validateCode' && [...query.keys()].join() === 'deliveryCode';

/**
 * Processes a command that changes no stage and emits no event: `tracking`,
 * `validateCode`, and `details` by PATCH. Undefined: it is another command.
 */
export function withoutEvent(
  { method, parameters, query, body }: MockRequest,
  { document, state }: MockOrder,
): MockResponse | undefined {
  const { orderId, status } = parameters;
  const isOver = isFinalStage(state.stage);
  const isDelivery = document.type === 'DELIVERY';
  if (method === 'PATCH' && status === 'details') {
    if (isOver) return problem(400, 'the order is finished');
    const { preparationStartDateTime: given } = Object(parseJson(body)) as Json;
    if (!Number.isNaN(Date.parse(String(given)))) document.preparationStartDateTime = String(given);
    return { status: 200 };
  }
  if (method !== 'POST') return undefined;
  if (status === 'tracking') {
    const isPossible = isDelivery && !isOver && state.stage !== 'CREATED';
    return isPossible
      ? { status: 202 }
      : problem(422, 'the order is not a delivery that is confirmed and open');
  }
  if (status === 'validateCode') {
    if (!isDelivery || state.stage !== 'DISPATCHED') return problem(400, 'the order is not on its way');
    const deliveryCode = query.get('deliveryCode');
    const isRight = deliveryCode !== null && deliveryCode === codeOf(document);
    return isRight ? { status: 200, body: { orderId, deliveryCode } } : problem(400, 'the code is not valid');
  }
  return undefined;
}

/** As many hubs do: the last four digits of the customer's phone number. */
function codeOf({ customer }: Json): string | undefined {
  const { phone } = (customer ?? {}) as { phone?: { number?: unknown } };
  return /\d{4}$/.exec(String(phone?.number))?.[0];
}
