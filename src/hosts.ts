/**
 * Profiles of hosts that many integrations meet, as data. They are from public documents: nothing was tested at
 * the hosts.
 *
 * @module opendelivery-client/hosts
 */
export { food99 } from './hub/hosts/food99.js';
export { ifoodLike } from './hub/hosts/ifood-like.js';
export { keeta } from './hub/hosts/keeta.js';
export type { HostDeviation, NamedHost } from './hub/hosts/named-host.js';
export { pedidos10 } from './hub/hosts/pedidos10.js';
