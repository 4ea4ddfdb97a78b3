import { expect, it } from 'vitest';
import { expectGoodHour, hourOf } from '../sim/hour.js';
import { play, type Result, SCENARIOS } from '../sim/scenarios.js';
import { printFigures } from './figures.js';

/** `npm run simulate` prints the tables. */
function printSimulation(title: string, { cluster, parts, cpuMs }: Result): void {
  const sumOf = (name: 'polls' | 'handled' | 'tokens' | 'redisCommands') =>
    parts.reduce((sum, part) => sum + part[name], 0);
  printFigures(`simulation: ${title}`, {
    stores: cluster.options.stores,
    processes: cluster.options.processes,
    polls: sumOf('polls'),
    events: sumOf('handled'),
    tokens: sumOf('tokens'),
    redisCommands: sumOf('redisCommands'),
    latestPollMs: Math.max(...parts.map(({ late }) => (late.count > 0 ? late.max : 0))),
    violations: cluster.violations.length,
    cpuSeconds: cpuMs / 1000,
  });
}

it('an hour of 1,200 stores with every disturbance', async () => {
  const hour = hourOf(1200);
  const result = await play(hour);
  printSimulation(hour.title, result);
  expectGoodHour(result);
}, 600_000);

it.each(['start', 'handover', 'redis'] as const)(
  'a tenth of the simulation %s',
  async (name) => {
    const scenario = SCENARIOS[name];
    const { options } = scenario;
    const part = { stores: options.stores / 10, processes: Math.max(2, options.processes / 10) };
    const result = await play(scenario, part);
    printSimulation(`a tenth of ${scenario.title}`, result);
    expect(result.cluster.violations).toEqual([]);
    expect(result.cluster.overdueEvents(120_000)).toBe(0);
  },
  600_000,
);
