import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SpanKind } from '@opentelemetry/api';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { FOR_NODE } from '../compile.js';
import { programOf, programsFolder } from '../programs.js';
import type { PrintedSpan } from './beside.js';

interface Ran {
  readonly spans: readonly PrintedSpan[];
  readonly errors: string;
}

async function run(program: string, ...given: string[]): Promise<Ran> {
  const path = programOf(`test/opentelemetry/${program}.ts`);
  // NodeSDK would export to a collector on this machine, which it waits for at the end.
  const env = { ...process.env, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, ...given], { env });
  return { spans: JSON.parse(stdout) as PrintedSpan[], errors: stderr };
}

const OWN = 'opendelivery-client';

function expectNesting(spans: readonly PrintedSpan[]): void {
  const named = (name: string) => {
    const found = spans.find((span) => span.name === name);
    expect(found, name).toBeDefined();
    return found as PrintedSpan;
  };
  const listener = named('process events');
  const save = named('save');
  expect(save).toMatchObject({ parentId: listener.id, attributes: { tenant: 'pizzaria' } });
  const command = named('POST /v1/orders/{orderId}/{status}');
  expect(command.parentId).toBe(listener.id);
  // Each begins a trace of its own: the span in which the poller was started has ended.
  for (const name of ['poll events', 'process events', 'acknowledge events']) {
    const ours = spans.filter((span) => span.name === name);
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ parentId }) => parentId !== undefined)).toEqual([]);
  }
  const [poll] = spans.filter(({ name }) => name === 'poll events');
  expect(named('GET /v1/events:polling').parentId).toBe(poll?.id);
}

/** A span that the SDK's own instrumentation has made of an HTTP request to a path. */
function instrumented(spans: readonly PrintedSpan[], path: string): readonly PrintedSpan[] {
  return spans.filter(({ scope, kind, attributes }) => {
    const url = attributes['url.full'] ?? attributes['http.url'];
    return (
      scope !== OWN &&
      kind === SpanKind.CLIENT &&
      typeof url === 'string' &&
      new URL(url).pathname.endsWith(path)
    );
  });
}

function expectRequestOfListener(spans: readonly PrintedSpan[]): void {
  const listener = spans.find(({ name }) => name === 'process events');
  const requests = instrumented(spans, '/elsewhere');
  expect(requests.map(({ parentId }) => parentId)).toEqual([listener?.id]);
}

describe('instrument()', () => {
  it('beside NodeSDK gives spans and requests of a listener its span as their parent', async () => {
    const { spans, errors } = await run('beside-node-sdk');
    expectNesting(spans);
    expectRequestOfListener(spans);
    const command = spans.find(({ name }) => name === 'POST /v1/orders/{orderId}/{status}');
    const [inner] = instrumented(spans, '/confirm');
    expect(inner?.parentId).toBe(command?.id);
    expect(errors).toBe('');
  });

  it('beside the SDK of Sentry gives spans and requests of a listener its span as their parent', async () => {
    const { spans } = await run('beside-sentry');
    expectNesting(spans);
    expectRequestOfListener(spans);
  });

  it('of the ES modules makes spans of the clients of the CommonJS copy, which cannot be instrumented once more', async () => {
    const outfile = join(programsFolder(), 'node_modules/opendelivery-client/copy.cjs');
    await build({
      ...FOR_NODE,
      stdin: {
        contents: ['index', 'opentelemetry', 'testing/index']
          .map((entry) => `export * from './src/${entry}.ts';`)
          .join('\n'),
        resolveDir: FOR_NODE.absWorkingDir,
        loader: 'ts',
      },
      format: 'cjs',
      outfile,
      define: { 'import.meta.url': '""' },
      alias: { '#undici': 'undici' },
    });
    const { spans, errors } = await run('beside-commonjs', outfile);
    expectNesting(spans);
    expect(errors).toMatch(/^ConfigurationError: .*instrument/);
  });
});

it('examples/opentelemetry.ts exports the spans and metrics of a fleet', async () => {
  const env = {
    ...process.env,
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_TRACES_EXPORTER: 'console',
    OTEL_METRICS_EXPORTER: 'console',
  };
  const program = programOf('test/opentelemetry/example.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  expect(stdout).toContain("name: 'process events'");
  expect(stdout).toContain("'opendelivery.store.id': 'pizzaria'");
  expect(stdout).toContain("name: 'opendelivery.fleet.stores'");
});
