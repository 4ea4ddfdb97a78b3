/** @module-tag slow */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { programOf } from '../programs.js';
import { served } from '../temporary.js';
import { printedIn } from './support.js';

/** A command that serves a mock hub in a process of its own. */
async function serving(words: readonly string[]) {
  const child = spawn(process.execPath, [programOf('src/cli/index.ts'), ...words, '--port', '0'], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await vi.waitFor(() => expect(output).toMatch(/HUB_API_KEY=\S+\n/), { timeout: 30_000 });
  const { baseUrl: url } = printedIn(output);
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (
      await fetch(`${url}/_mock/${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    ).json();
  return {
    child,
    control,
    ended: async () => (await closed) as [code: number | null, signal: string | null],
  };
}

/** A webhook, and how many requests it got. */
async function webhook(respond: (response: ServerResponse) => void) {
  const got: unknown[] = [];
  const address = await served((request, response) => {
    got.push(request.url);
    respond(response);
  });
  return { url: `${address}/newEvent`, got };
}

const refusing = async () => ({ url: 'http://127.0.0.1:1/newEvent', got: undefined });
const unavailable = () => webhook((response) => response.writeHead(503, { 'retry-after': '600' }).end());
const silent = () => webhook(() => {});

describe.each([
  ['mock', ['mock'], 0],
  ['certify', ['certify', 'opendelivery'], 1],
] as const)('opendelivery %s', (_name, words, code) => {
  it.each([
    ['refuses the connection', refusing],
    ['asks for ten minutes of patience', unavailable],
    ['never answers', silent],
  ])('ends at once on SIGTERM while a push goes to a webhook that %s', async (_what, made) => {
    const { url, got } = await made();
    const { child, control, ended } = await serving(words);
    await control('PUT', 'pushes', { url });
    await control('POST', 'orders', {});
    const tries = async () => (made === silent ? got : await control('GET', 'pushes'));
    await expect.poll(tries).toHaveLength(1);
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    onTestFinished(() => clearTimeout(timer));
    expect(await ended()).toEqual([code, null]);
  });
});
