import { availableParallelism, cpus, totalmem } from 'node:os';

/** The machine that measures, for the tables and `bench.json`. */
export const machine = {
  cpu: cpus()[0]?.model ?? 'unknown CPU',
  cores: availableParallelism(),
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  node: process.versions.node,
  system: `${process.platform} ${process.arch}`,
};

export type Machine = typeof machine;
