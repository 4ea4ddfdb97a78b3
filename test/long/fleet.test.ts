import { expect, it } from 'vitest';
import { expectGoodHour, hourOf } from '../sim/hour.js';
import { reportOf } from '../sim/report.js';
import { play, SCENARIOS } from '../sim/scenarios.js';

it('an hour of 1,200 stores with every disturbance', async () => {
  const hour = hourOf(1200);
  const result = await play(hour);
  console.log(reportOf(hour, result));
  expectGoodHour(result);
}, 600_000);

it.each(['start', 'handover', 'redis'] as const)(
  'a tenth of the simulation %s',
  async (name) => {
    const scenario = SCENARIOS[name];
    const { options } = scenario;
    const part = { stores: options.stores / 10, processes: Math.max(2, options.processes / 10) };
    const result = await play(scenario, part);
    console.log(reportOf(scenario, result));
    expect(result.cluster.violations).toEqual([]);
    expect(result.cluster.overdueEvents(120_000)).toBe(0);
  },
  600_000,
);
