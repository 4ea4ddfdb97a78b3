import { isFinalStage } from '../../schemas/event-types.js';
import type { HubState } from '../hub-state.js';
import type { MockStore } from '../mock-store.js';
import { countOf, type Rehearsal } from './rehearsal.js';
import type { WireFault, WireStore, WireSummary } from './wire.js';

/** What every section shows. */
export function summaryOf(state: HubState, rehearsal?: Rehearsal): WireSummary {
  const { stores, journal, faults } = state;
  const all = faults.inForce;
  const share = all.find(({ random }) => random && random.rate > 0);
  return {
    stores: stores.all.map(storeOf),
    requests: journal.entries.length,
    violations: state.countViolations(),
    ...(rehearsal && { rehearsal: countOf(rehearsal) }),
    faults: {
      next: all.flatMap(({ next, clientId }) =>
        [...next].flatMap(([endpoint, queue]) =>
          queue.map(({ fault, times }): WireFault => ({ endpoint, fault, times, clientId })),
        ),
      ),
      ...(share?.random && {
        random: { seed: String(share.random.seed), rate: share.random.rate, clientId: share.clientId },
      }),
    },
  };
}

function storeOf(store: MockStore): WireStore {
  let open = 0;
  for (const { state } of store.orders.values()) if (!isFinalStage(state.stage)) open += 1;
  return {
    clientId: store.credentials.clientId,
    name: nameOf(store),
    open,
    waiting: store.unanswered.open().length,
    pending: store.pending.size,
  };
}

function nameOf({ merchant, credentials }: MockStore): string {
  const name = (merchant.basicInfo as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name.slice(0, 80) : credentials.clientId;
}
