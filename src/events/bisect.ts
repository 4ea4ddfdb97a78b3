/** Which items of a batch the hub accepted and refused. */
export interface Bisection<Item, Refusal> {
  readonly accepted: Item[];
  readonly refused: Array<{ readonly item: Item; readonly refusal: Refusal }>;
  /** No part was accepted: the items are not the cause. */
  readonly refusesAll: boolean;
}

/**
 * Finds the bad items of a refused batch by halving it.
 *
 * If the first requests are all refused, down to single items, the parts not
 * sent yet are sent once each, the largest first. If those are refused too, the
 * hub refuses everything, and going on would cost two requests per item.
 *
 * @param refusal - of the whole batch.
 * @param send - sends a part; resolves to its refusal, or undefined if it was accepted.
 */
export async function bisect<Item, Refusal>(
  items: readonly Item[],
  refusal: Refusal,
  send: (part: readonly Item[]) => Promise<Refusal | undefined>,
): Promise<Bisection<Item, Refusal>> {
  const accepted: Item[] = [];
  const refused: Array<{ item: Item; refusal: Refusal }> = [];
  const postponed: Array<readonly Item[]> = [];
  const maxRefusals = Math.ceil(Math.log2(Math.max(2, items.length))) + 4;
  let refusals = 1;

  const sendPart = async (part: readonly Item[]): Promise<Refusal | undefined> => {
    const partRefusal = await send(part);
    if (partRefusal === undefined) accepted.push(...part);
    else refusals += 1;
    return partRefusal;
  };
  const divide = async (part: readonly Item[], partRefusal: Refusal): Promise<void> => {
    const [only] = part;
    if (part.length === 1 && only !== undefined) {
      refused.push({ item: only, refusal: partRefusal });
      return;
    }
    const middle = Math.ceil(part.length / 2);
    for (const half of [part.slice(0, middle), part.slice(middle)]) {
      if (accepted.length === 0 && refusals >= maxRefusals) {
        postponed.push(half);
        continue;
      }
      const halfRefusal = await sendPart(half);
      if (halfRefusal !== undefined) await divide(half, halfRefusal);
    }
  };

  await divide(items, refusal);
  const refusedAgain: Array<{ part: readonly Item[]; partRefusal: Refusal }> = [];
  for (const part of postponed.splice(0).sort((a, b) => b.length - a.length)) {
    const partRefusal = await sendPart(part);
    if (partRefusal !== undefined) refusedAgain.push({ part, partRefusal });
  }
  const refusesAll = accepted.length === 0 && items.length > refused.length;
  if (!refusesAll) for (const { part, partRefusal } of refusedAgain) await divide(part, partRefusal);
  return { accepted, refused, refusesAll };
}
