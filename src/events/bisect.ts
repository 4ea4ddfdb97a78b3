/** What became of a batch's items. */
export interface Bisection<Item, Refusal> {
  readonly accepted: Item[];
  readonly refused: Array<{ readonly item: Item; readonly refusal: Refusal }>;
  /** Not one part was accepted: it is not these items that are bad. */
  readonly refusesAll: boolean;
}

/**
 * Finds the bad items of a batch that was refused as a whole, by halves.
 *
 * When one refusal follows another down to single items and nothing is
 * accepted, the parts not asked yet are asked once each, the largest first. If
 * those are refused too, the hub refuses everything, and asking on would cost
 * two requests an item.
 */
export async function bisect<Item, Refusal>(
  items: readonly Item[],
  refusal: Refusal,
  send: (part: readonly Item[]) => Promise<Refusal | undefined>,
): Promise<Bisection<Item, Refusal>> {
  const accepted: Item[] = [];
  const refused: Array<{ item: Item; refusal: Refusal }> = [];
  const postponed: Array<readonly Item[]> = [];
  const patience = Math.ceil(Math.log2(Math.max(2, items.length))) + 4;
  let refusals = 1;

  const ask = async (part: readonly Item[]): Promise<Refusal | undefined> => {
    const answer = await send(part);
    if (answer === undefined) accepted.push(...part);
    else refusals += 1;
    return answer;
  };
  const divide = async (part: readonly Item[], whole: Refusal): Promise<void> => {
    const [only] = part;
    if (part.length === 1 && only !== undefined) {
      refused.push({ item: only, refusal: whole });
      return;
    }
    const middle = Math.ceil(part.length / 2);
    for (const half of [part.slice(0, middle), part.slice(middle)]) {
      if (accepted.length === 0 && refusals >= patience) {
        postponed.push(half);
        continue;
      }
      const answer = await ask(half);
      if (answer !== undefined) await divide(half, answer);
    }
  };

  await divide(items, refusal);
  const again: Array<{ part: readonly Item[]; answer: Refusal }> = [];
  for (const part of postponed.splice(0).sort((a, b) => b.length - a.length)) {
    const answer = await ask(part);
    if (answer !== undefined) again.push({ part, answer });
  }
  const refusesAll = accepted.length === 0 && items.length > refused.length;
  if (!refusesAll) for (const { part, answer } of again) await divide(part, answer);
  return { accepted, refused, refusesAll };
}
