import { type ItemResult, type Play, Unmet } from './play.js';
import type { Item, StepName } from './script.js';
import { STEPS } from './steps.js';
import type { Result } from './texts.js';

/** Why the rehearsal ended early. */
export type EarlyEnd = 'overTime' | 'interrupted' | 'noApplication';

export const reasonOf = ({ reason }: AbortSignal): EarlyEnd => reason as EarlyEnd;

/** Plays the steps of an item, one after the other, until one is not met. */
export async function playItem(item: Item, play: Play): Promise<ItemResult> {
  const { stage } = play;
  const end = (result: Result): ItemResult => ({
    id: item.id,
    title: item.title[stage.language],
    result,
    evidence: play.evidence,
  });
  try {
    for (const step of item.steps) {
      stage.signal.throwIfAborted();
      const name = Object.keys(step)[0] as StepName;
      await STEPS[name](play, step as never);
    }
    return end('passed');
  } catch (error) {
    const { signal, texts } = stage;
    if (!(error instanceof Unmet) && !signal.aborted) throw error;
    play.note(error instanceof Unmet ? error.message : texts[reasonOf(signal)]);
    return end(error instanceof Unmet ? error.result : 'not seen');
  }
}
