import type { Script } from '../script.js';
import { food99 } from './99food.js';
import { ifoodOrder } from './ifood-order.js';
import { opendelivery } from './opendelivery.js';
import { pedidos10 } from './pedidos10.js';

/** Every script of `opendelivery certify`. */
export const SCRIPTS: readonly Script[] = [ifoodOrder, food99, pedidos10, opendelivery];
