/** The recipes of docs/inbox-libraries.md pass `inboxContract` over a Postgres, with the libraries that an application installs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifest, root, run } from './workshop.mjs';

const LIBRARIES = ['drizzle-orm@0.45', 'kysely@0.28', 'typeorm@1'];

const PROGRAM = `
import { inboxContract } from '${manifest.name}/testing';
import pg from 'pg';
import { DataSource } from 'typeorm';

const host = process.argv[2];
const address = { host, database: 'postgres' };
let count = 0;

async function check(recipe, connect) {
  const { inboxOf } = await import(\`./\${recipe}.mjs\`);
  const cases = inboxContract(async () => {
    count += 1;
    const { client, close } = await connect();
    const inbox = inboxOf(client, \`recipe-\${count}\`);
    await inbox.migrate();
    return { inbox, close };
  });
  for (const { run } of cases) await run();
  console.log(\`docs/inbox-libraries.md: the recipe for \${recipe} passes \${cases.length} cases\`);
}

const pool = async () => {
  const client = new pg.Pool({ ...address, user: 'postgres' });
  return { client, close: () => client.end() };
};
await check('drizzle', pool);
await check('kysely', pool);
await check('typeorm', async () => {
  const client = await new DataSource({ type: 'postgres', ...address, username: 'postgres' }).initialize();
  return { client, close: () => client.destroy() };
});
`;

export async function inboxRecipes(shop) {
  const project = await shop.project('inbox', `pg@${manifest.devDependencies.pg}`, ...LIBRARIES);
  await cp(join(root, 'examples/inbox'), project, { recursive: true });
  await writeFile(join(project, 'check.mjs'), PROGRAM);
  const server = spawn(process.execPath, ['--import', 'tsx', join(root, '.ci/postgres.ts')], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [host] = await once(server.stdout, 'data');
    process.stdout.write(await run(process.execPath, ['check.mjs', String(host).trim()], { cwd: project }));
  } finally {
    server.stdin.end();
    await once(server, 'exit');
  }
}
