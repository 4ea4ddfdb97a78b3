import { type ItemResult, Play, Unmet } from './play.js';
import type { Item, Script, Step, StepName } from './script.js';
import { PLAIN } from './scripts/orders.js';
import { createOrder, type PlayedOrder, type Stage } from './stage.js';
import { STEPS } from './steps.js';
import type { Result } from './texts.js';

/** Why the rehearsal ended early. */
export type EarlyEnd = 'overTime' | 'interrupted' | 'noApplication';

/** What a rehearsal is called with while it runs. */
export interface Progress {
  /** An item begins. @param evidence - grows while it is played. */
  begins(id: string, evidence: readonly string[]): void;
  /** An item has ended. */
  ended(result: ItemResult): void;
}

/** They judge all requests since the beginning, and need no new one. */
const JUDGES: ReadonlySet<string> = new Set<StepName>([
  'keeps',
  'strikes',
  'polls',
  'tokens',
  'authorizes',
  'leaves',
]);

const nameOf = (step: Step) => Object.keys(step)[0] as StepName;

/** Whether it is a rule for the whole rehearsal. */
const isRule = ({ steps }: Item) => steps.every((step) => JUDGES.has(nameOf(step)));

/**
 * The items that need not be played again. A rule holds for all requests: if one was broken, or was never judged, or
 * nothing but rules is left, an application shows that it keeps it by sending all of them again.
 *
 * @param earlier - the results of earlier rehearsals, by id.
 */
export function passedEarlier(
  { items }: Script,
  earlier: ReadonlyMap<string, ItemResult>,
): Map<string, ItemResult> {
  const resultOf = ({ id }: Item) => earlier.get(id)?.result;
  const open = items.filter((item) => resultOf(item) !== 'passed');
  const isAllAgain = open.every(isRule) || open.some((item) => isRule(item) && resultOf(item) !== 'not seen');
  // An item goes on where earlier items have left its order, and the next rehearsal has another order.
  const leadsToOpen = ({ order }: Item, at: number) =>
    order !== undefined &&
    items.some((later, index) => index > at && later.order === order && open.includes(later));
  const isKept = (item: Item, at: number) => !open.includes(item) && !leadsToOpen(item, at);
  const kept = open.length > 0 && isAllAgain ? [] : items.filter(isKept);
  return new Map(kept.map(({ id }) => [id, earlier.get(id) as ItemResult]));
}

/** Plays all items of a script, but those in `passed`. The results are in the sequence of the script. */
export async function rehearse(
  script: Script,
  stage: Stage,
  passed: ReadonlyMap<string, ItemResult>,
  progress: Progress,
): Promise<readonly ItemResult[]> {
  const orders = new Map<string, PlayedOrder>();
  const orderOf = ({ order: name, id }: Item) => {
    if (name === undefined) throw new TypeError(`item ${id} of the script ${script.name} has no order`);
    const order = orders.get(name) ?? createOrder(stage, script.orders[name] ?? PLAIN);
    orders.set(name, order);
    return order;
  };
  const results = new Map(passed);
  const play = async (item: Item) => {
    if (results.has(item.id)) return;
    const current = new Play(stage, () => orderOf(item));
    progress.begins(item.id, current.evidence);
    const result = await playItem(item, current);
    results.set(item.id, result);
    progress.ended(result);
  };
  for (const lanes of rounds(script.items)) {
    await Promise.all(
      lanes.map(async (items) => {
        for (const item of items) await play(item);
      }),
    );
  }
  return script.items.map(({ id }) => results.get(id) as ItemResult);
}

/** Plays the steps of an item, one after the other, until one is not met. */
async function playItem(item: Item, play: Play): Promise<ItemResult> {
  const { stage } = play;
  const end = (result: Result): ItemResult => ({
    id: item.id,
    title: item.title[stage.language],
    result,
    evidence: play.evidence,
  });
  try {
    for (const step of item.steps) {
      const name = nameOf(step);
      // What was broken until then is known, also if the rehearsal ends early.
      if (!JUDGES.has(name)) stage.signal.throwIfAborted();
      await STEPS[name](play, step as never);
    }
    if (isRule(item)) stage.signal.throwIfAborted();
    return end('passed');
  } catch (error) {
    const { signal, texts } = stage;
    if (!(error instanceof Unmet) && !signal.aborted) throw error;
    play.note(error instanceof Unmet ? error.message : texts[signal.reason as EarlyEnd]);
    return end(error instanceof Unmet ? error.result : 'not seen');
  }
}

/** Rounds one after another, of lanes beside each other, of items one after another. */
function rounds(items: readonly Item[]): readonly (readonly (readonly Item[])[])[] {
  const all: Map<string, Item[]>[] = [];
  let isOpen = false;
  for (const item of items) {
    if (item.alone || !isOpen) all.push(new Map());
    isOpen = !item.alone;
    const round = all.at(-1) as Map<string, Item[]>;
    const lane = item.order ?? `item ${item.id}`;
    round.set(lane, [...(round.get(lane) ?? []), item]);
  }
  return all.map((round) => [...round.values()]);
}
