/**
 * Finds the bad items of a batch that was refused as a whole, by halves.
 *
 * It gives up when one refusal follows another from the whole batch down to
 * single items without anything being accepted: then it is not the items that
 * are bad, and asking on would cost two requests an item.
 */
export async function bisect<Item, Refusal>(
  items: readonly Item[],
  refusal: Refusal,
  send: (part: readonly Item[]) => Promise<Refusal | undefined>,
): Promise<{ accepted: Item[]; refused: Array<{ item: Item; refusal: Refusal }>; undecided: Item[] }> {
  const accepted: Item[] = [];
  const refused: Array<{ item: Item; refusal: Refusal }> = [];
  const undecided: Item[] = [];
  const patience = Math.ceil(Math.log2(Math.max(2, items.length))) + 4;
  let refusalsInARow = 1;

  const visit = async (part: readonly Item[], whole: Refusal): Promise<void> => {
    const [only] = part;
    if (part.length === 1 && only !== undefined) {
      refused.push({ item: only, refusal: whole });
      return;
    }
    const middle = Math.ceil(part.length / 2);
    for (const half of [part.slice(0, middle), part.slice(middle)]) {
      if (accepted.length === 0 && refusalsInARow >= patience) {
        undecided.push(...half);
        continue;
      }
      const answer = await send(half);
      if (answer === undefined) {
        accepted.push(...half);
        refusalsInARow = 0;
      } else {
        refusalsInARow += 1;
        await visit(half, answer);
      }
    }
  };

  await visit(items, refusal);
  return { accepted, refused, undecided };
}
