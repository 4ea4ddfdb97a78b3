import type { Services } from '../services/services.js';
import { Deadlines } from '../time/clock.js';
import type { Engine } from './engine.js';
import { expire, giveUpRuns } from './give-up.js';
import { engineInboxOf } from './inbox/record.js';
import { workOn } from './inbox/work.js';
import type { Subscriptions } from './listeners.js';
import type { ResolvedPollerOptions } from './options.js';
import { Scheduler, type SchedulerOptions } from './scheduler.js';
import { turn } from './turn.js';

/** What the two doors of an engine decide. */
type EngineOptions = Pick<Engine, 'keepsIdleLease' | 'hubOf' | 'onTurnFailed' | 'onFirstTurn' | 'onStopped'> &
  Pick<SchedulerOptions, 'turnsInProgress' | 'stepMs'>;

export function createEngine(
  services: Services,
  options: ResolvedPollerOptions,
  { listeners, observers }: Subscriptions,
  { turnsInProgress, stepMs, ...own }: EngineOptions,
): Engine {
  const { clock } = services;
  const { intervalMs, listenerTimeoutMs } = options;
  const engine: Engine = {
    ...own,
    services,
    options,
    inbox: options.inbox && engineInboxOf(options.inbox.tables, services),
    wakeInbox: (store) => void workOn(engine, store),
    listeners,
    observers,
    deadlines: new Deadlines(clock, listenerTimeoutMs, expire),
    scheduler: new Scheduler({
      clock,
      intervalMs,
      turnsInProgress,
      stepMs,
      turn,
    }),
    onLeaseLost: (store, error) => {
      giveUpRuns(engine, store, error);
      store.dueAt = clock.monotonic();
      engine.scheduler.changed(store);
    },
  };
  return engine;
}
