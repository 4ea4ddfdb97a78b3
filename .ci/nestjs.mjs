/** examples/nestjs with the packed package, over a Postgres: it compiles, jest passes, and fails when the shop is wrong. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root, run } from './workshop.mjs';

const EXAMPLE = join(root, 'examples/nestjs');

/** A test that has not been seen to fail proves nothing. */
const MISTAKES = [
  { mistake: 'the order is not confirmed', right: 'outbox.confirm(orderId);', wrong: 'void outbox;' },
  {
    mistake: 'nothing listens to new orders',
    right: "@OnOrderEvent('CREATED')",
    wrong: "@OnOrderEvent('DELIVERED')",
  },
];

export async function nestShop(shop) {
  const folder = shop.folder('nestjs');
  await cp(EXAMPLE, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  await shop.install(folder);
  await run('npm', ['run', 'build'], { cwd: folder });
  const server = spawn(process.execPath, ['--import', 'tsx', join(root, '.ci/postgres.ts')], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [host] = await once(server.stdout, 'data');
    const address = encodeURIComponent(String(host).trim());
    const env = { DATABASE_URL: `postgres://postgres@${address}/postgres` };
    const jest = () => run('npm', ['test'], { cwd: folder, env });
    await jest();
    console.log('examples/nestjs: it compiles, and jest passes');
    const file = join(folder, 'src/tickets.service.ts');
    const text = await readFile(file, 'utf8');
    for (const { mistake, right, wrong } of MISTAKES) {
      if (!text.includes(right)) throw new Error(`${file} has no '${right}' any more`);
      await writeFile(file, text.replace(right, wrong));
      const passes = await jest().then(
        () => true,
        () => false,
      );
      if (passes) throw new Error(`examples/nestjs: jest passes though ${mistake}`);
    }
    console.log(`examples/nestjs: jest fails when ${MISTAKES.map(({ mistake }) => mistake).join(', or ')}`);
  } finally {
    server.stdin.end();
    await once(server, 'exit');
  }
}
