/**
 * `npm run simulate`: what many stores need, in virtual time.
 * `npm run simulate -- start lunch` plays these scenarios only.
 */
import { breakingPoints } from './breaking-point.js';
import { bytesPerStore } from './memory.js';
import { redisCost } from './redis-cost.js';
import { reportOf, table } from './report.js';
import { play, SCENARIOS, type ScenarioName } from './scenarios.js';

const isScenario = (name: string): name is ScenarioName => name in SCENARIOS;

const OTHERS: Readonly<Record<string, () => Promise<string>>> = {
  async breaking() {
    const rows: string[][] = [['what runs out', 'works with', 'breaks with']];
    for (const search of breakingPoints()) {
      const { title, works, breaks } = await search();
      console.error(`${title}: works with ${works}, breaks with ${breaks}`);
      rows.push([title, works.toLocaleString('en-US'), breaks.toLocaleString('en-US')]);
    }
    return `## What breaks first: more than 1 % of the polls are more than a second late\n\n${table(rows)}`;
  },
  async memory() {
    const bytes = await bytesPerStore(10_000);
    return `## Memory\n\n${Math.round(bytes)} bytes of heap for each store, its token of 600 characters included.`;
  },
  async redisCost() {
    const rows = Object.entries(await redisCost()).map(([name, value]) => [name, value.toFixed(4)]);
    return `## What a real Redis needs\n\n${table([['what', 'value'], ...rows])}`;
  },
};

const names = process.argv.slice(2);
const known = [...Object.keys(SCENARIOS), ...Object.keys(OTHERS)];
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`there is no '${unknown}'; there are: ${known.join(', ')}`);

for (const name of names.length > 0 ? names : known) {
  const text = isScenario(name)
    ? reportOf(SCENARIOS[name], await play(SCENARIOS[name]))
    : await OTHERS[name]?.();
  console.log(`${text}\n`);
}
process.exit(0);
