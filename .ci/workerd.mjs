/** Serves one ES module as a Worker. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** The oldest date that docs/runtimes.md promises. */
const COMPATIBILITY_DATE = '2025-09-15';

/** @returns the address of the Worker, and a function that ends it. */
export async function serveWorker(binary, file, { bindings = '', more = '' } = {}) {
  const config = `${file}.capnp`;
  await writeFile(config, configOf(basename(file), bindings, more));
  const child = spawn(binary, ['serve', basename(config), '--control-fd=3', '--experimental'], {
    cwd: dirname(file),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const printed = [];
  child.stdout.on('data', (chunk) => printed.push(chunk));
  child.stderr.on('data', (chunk) => printed.push(chunk));
  const ended = once(child, 'exit');
  const listening = once(child.stdio[3], 'data');
  const [message] = await Promise.race([listening, ended.then(() => [])]);
  const close = async () => {
    child.kill();
    await ended;
  };
  if (!message) throw new Error(`workerd did not start\n${Buffer.concat(printed)}`);
  const { port } = JSON.parse(message);
  return { url: `http://127.0.0.1:${port}/`, close, printed: () => Buffer.concat(printed).toString() };
}

const configOf = (module, bindings, more) => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "${module}", esModule = embed "${module}")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [${bindings}],
  ${more}
);
`;
