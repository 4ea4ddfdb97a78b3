/** Sends some of the items; resolves to whether the hub has accepted them. */
type Send<Item> = (part: readonly Item[]) => Promise<boolean>;

/** After this many items were refused alone and nothing was accepted, the items may not be the cause. */
const MAX_REFUSED = 7;

/** At most this many items are sent alone before one is accepted. */
const MAX_PROBES = 32;

/**
 * Finds the bad items of a refused batch by halving it. Up to six are always found.
 *
 * If the first seven single items are refused and no part was accepted, the parts
 * not sent yet are sent once each, the largest first. If those are refused too, the
 * hub may refuse everything, and going on would cost two requests per item: the items
 * left were neither accepted nor refused alone.
 *
 * @param isAccepting - whether the hub has just accepted another item.
 */
export async function bisect<Item>(
  items: readonly Item[],
  send: Send<Item>,
  isAccepting = false,
): Promise<void> {
  const postponed: Array<readonly Item[]> = [];
  let hasAccepted = isAccepting;
  let refused = 0;

  const sendPart = async (part: readonly Item[]): Promise<boolean> => {
    const isAccepted = await send(part);
    hasAccepted ||= isAccepted;
    if (!isAccepted && part.length === 1) refused += 1;
    return isAccepted;
  };
  const divide = async (part: readonly Item[]): Promise<void> => {
    if (part.length === 1) return;
    const middle = Math.ceil(part.length / 2);
    for (const half of [part.slice(0, middle), part.slice(middle)]) {
      if (!hasAccepted && refused >= MAX_REFUSED) postponed.push(half);
      else if (!(await sendPart(half))) await divide(half);
    }
  };

  await divide(items);
  const refusedAgain: Array<readonly Item[]> = [];
  for (const part of postponed.splice(0).sort((a, b) => b.length - a.length)) {
    if (!(await sendPart(part))) refusedAgain.push(part);
  }
  if (hasAccepted) for (const part of refusedAgain) await divide(part);
}

/**
 * Sends items alone, from all parts of the array and as many as a call may cost, until one is
 * accepted; then all others together. For items that a bisection has left: most may be bad.
 */
export async function probe<Item>(items: readonly Item[], send: Send<Item>): Promise<void> {
  const share = Math.min(1, MAX_PROBES / items.length);
  const rest = new Set(items);
  for (const item of items.filter((_, at) => Math.floor((at + 1) * share) > Math.floor(at * share))) {
    rest.delete(item);
    if (!(await send([item]))) continue;
    const others = [...rest];
    if (others.length > 0 && !(await send(others))) await bisect(others, send, true);
    return;
  }
}
