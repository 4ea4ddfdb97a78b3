/** How many shards each process takes at most, so that together they take all. */
export const shareOf = (shards: number, alive: number): number => Math.ceil(shards / Math.max(1, alive));

/** Those that a process returns: the ones it has had for the shortest time. */
export const excessOf = <Item>(held: readonly Item[], share: number): Item[] => held.slice(share);
