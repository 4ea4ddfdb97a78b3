import type { HubState } from '../hub-state.js';
import type { View } from './changes.js';
import { eventsView } from './events-view.js';
import { limitsView } from './limits-view.js';
import { menuView } from './menu-view.js';
import { ordersView } from './orders-view.js';
import type { ViewQuery } from './query.js';
import type { Recorder } from './recorder.js';
import { type Rehearsal, rehearsalView } from './rehearsal.js';
import { requestsView } from './requests-view.js';
import { violationsView } from './violations-view.js';

/** What the sections read. */
export interface Sources {
  readonly state: HubState;
  readonly recorder: Recorder;
  /** Undefined: no rehearsal is played at this hub. */
  readonly rehearsal: Rehearsal | undefined;
}

/** What the section of a page shows now. The sections Faults and Time need only the summary. */
export function viewOf({ state, recorder, rehearsal }: Sources, query: ViewQuery): View {
  switch (query.section) {
    case 'orders':
      return ordersView(state, query);
    case 'events':
      return eventsView(state, query);
    case 'requests':
      return requestsView(state, query);
    case 'violations':
      return violationsView(state, query);
    case 'limits':
      return limitsView(state, query);
    case 'menu':
      return menuView(state, query);
    case 'script':
      return { rows: recorder.rows(query.limit), about: { total: recorder.length } };
    case 'rehearsal':
      return rehearsalView(rehearsal);
    default:
      return { rows: [], about: { total: 0 } };
  }
}
