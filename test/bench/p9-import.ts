import { execFileSync } from 'node:child_process';
import { type Bench, medianOf, OURS, type Row } from './bench.js';
import { dist, HOW_TO_INSTALL, isInstalled, root } from './packages.js';
import { medianRatio } from './side-by-side.js';
import { type Timing, turnsOf } from './turns.js';

/** The baseline is the first that is installed. */
const IMPORTS = ['openai', 'stripe', '@octokit/rest', 'zod', 'undici', OURS];

/** CPU time of an import in a process of its own, in ms. */
function importing(name: string): Timing {
  const address = name === OURS ? dist('index.js') : name;
  const program = `
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    await import(${JSON.stringify(address)});
    const wallMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    process.stdout.write(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    // Here the peers are found.
    cwd: `${root}test/bench`,
    encoding: 'utf8',
  });
  return JSON.parse(output) as Timing;
}

export const bench: Bench = {
  title: 'P9: import of the main entry',
  goal: 'at most half of openai',
  async *tables(effort) {
    const names = IMPORTS.filter((name) => name === OURS || isInstalled(name));
    const timings: Timing[][] = names.map(() => []);
    const rounds = effort === 'quick' ? 1 : 15;
    for (let round = -1; round < rounds; round += 1) {
      for (const index of turnsOf(round, names.length)) {
        const timing = importing(names[index] as string);
        if (round >= 0) timings[index]?.push(timing);
      }
    }
    const rows = IMPORTS.map((name): Row => {
      const index = names.indexOf(name);
      if (index === -1) return { name, note: `not installed: ${HOW_TO_INSTALL}` };
      return {
        name,
        median: medianOf((timings[index] ?? []).map(({ cpuMs }) => cpuMs)),
        ratio: medianRatio(timings, index, 'cpuMs'),
        ...(name === OURS && names[0] === 'openai' && { goal: { ratio: 0.5 } }),
      };
    });
    yield { title: 'CPU', unit: 'ms', rows };
  },
};
