import { food99 } from './food99.js';
import { ifoodLike } from './ifood-like.js';
import { keeta } from './keeta.js';
import type { NamedHost } from './named-host.js';
import { pedidos10 } from './pedidos10.js';

/** All named hosts. */
export const NAMED_HOSTS: readonly NamedHost[] = Object.freeze([food99, keeta, pedidos10, ifoodLike]);
