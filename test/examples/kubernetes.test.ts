import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { type FleetStore, HubFleet } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { POLLER_DEFAULTS } from '../../src/engine/options.js';
import { readText } from '../docs/blocks.js';

const FOLDER = 'examples/kubernetes';
const APP = readText(`${FOLDER}/app.ts`);

// biome-ignore lint/suspicious/noExplicitAny: the tests check what they read
type Any = any;

const MODELS = { Deployment, Secret, Service, StatefulSet } as const;

/** The resources of a manifest, each valid by its schema. */
function resourcesOf(file: string): Any[] {
  const documents = parseAllDocuments(readText(`${FOLDER}/${file}`));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  return documents.map((document): Any => document.toJS());
}

function validate(resource: Any): void {
  const Model = MODELS[resource.kind as keyof typeof MODELS];
  new Model(resource).validate();
}

/** The names in a resource that its schema does not know: the published schemas allow them, and Kubernetes drops them. */
function unknownFieldsOf(resource: Any): string[] {
  const read = new Set<string>();
  const all = new Set<string>();
  const watched = (value: Any, path: string): Any => {
    if (typeof value !== 'object' || value === null) return value;
    const keys = Array.isArray(value) ? [] : Object.keys(value);
    for (const key of keys) all.add(`${path}.${key}`);
    const children = Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        watched(child, Array.isArray(value) ? path : `${path}.${key}`),
      ]),
    );
    const target = Array.isArray(value) ? Object.values(children) : children;
    return new Proxy(target, {
      get: (object, name) => {
        if (typeof name === 'string') read.add(`${path}.${name}`);
        return Reflect.get(object, name);
      },
      // A map, such as labels, is read by its keys.
      ownKeys: (object) => {
        for (const key of Object.keys(object)) read.add(`${path}.${key}`);
        return Reflect.ownKeys(object);
      },
    });
  };
  const Model = MODELS[resource.kind as keyof typeof MODELS];
  Model.prototype.validate.call(watched(resource, resource.kind));
  return [...all].filter((path) => !read.has(path));
}

const [secret] = resourcesOf('secret.yaml');
const WORKLOADS = ['deployment.yaml', 'statefulset.yaml'];

it.each(['secret.yaml', ...WORKLOADS])(
  '%s is valid by the schemas of Kubernetes, and has no unknown field',
  (file) => {
    const resources = resourcesOf(file);
    for (const resource of resources) {
      expect(() => validate(resource)).not.toThrow();
      expect(unknownFieldsOf(resource)).toEqual([]);
    }
    // The check itself finds what is wrong.
    const wrong = structuredClone(resources.at(-1));
    wrong.metadata.nmae = 'pos';
    expect(unknownFieldsOf(wrong)).toEqual([`${wrong.kind}.metadata.nmae`]);
    wrong.metadata.name = 1;
    expect(() => validate(wrong)).toThrow('data/metadata/name must be string');
  },
);

describe.each(WORKLOADS)('the pods of %s', (file) => {
  const workload = resourcesOf(file).at(-1);
  const pod = workload.spec.template.spec;
  const [container] = pod.containers;
  const variable = (name: string) => container.env.find((each: Any) => each.name === name);

  it('are asked for their life and readiness where the program answers', () => {
    const { livenessProbe, readinessProbe, ports } = container;
    expect([livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/livez', '/readyz']);
    expect(APP).toContain("request.url === '/livez'");
    for (const { httpGet } of [livenessProbe, readinessProbe]) {
      expect(ports.map(({ name }: Any) => name)).toContain(httpGet.port);
    }
    expect(APP).toContain(`PORT = '${ports[0].containerPort}'`);
  });

  it('have more time to stop than the program waits, and that is more than a listener may take', () => {
    const waitsMs = Number(/timeoutMs: (\d+_?\d*)/.exec(APP)?.[1]?.replace('_', ''));
    expect(waitsMs).toBeGreaterThan(POLLER_DEFAULTS.listenerTimeoutMs);
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(waitsMs);
    expect(container.command[0]).toBe('node');
  });

  it('get their credentials from the secret only, as the program reads them', () => {
    const read = /const \{ (.+) \} = process\.env/.exec(APP)?.[1] ?? '';
    const names = read.split(', ').map((each) => each.split(' = ')[0]);
    // HOSTNAME is the name of the pod, PORT has a default.
    const expected = names.filter((name) => !['HOSTNAME', 'PORT'].includes(name ?? ''));
    const given = container.env.map(({ name }: Any) => name);
    expect(given.sort()).toEqual(
      expected.filter((name) => name !== 'SHARDS' || workload.kind === 'StatefulSet').sort(),
    );
    const redis = variable('REDIS_URL')?.valueFrom?.secretKeyRef;
    expect(redis?.name).toBe(secret.metadata.name);
    expect(secret.stringData[redis?.key ?? '']).toMatch(/^rediss:/);
    const [volume] = pod.volumes;
    expect(volume.secret.secretName).toBe(secret.metadata.name);
    const mount = container.volumeMounts.find(({ name }: Any) => name === volume.name);
    const [{ path }] = volume.secret.items;
    expect(variable('STORES_FILE').value).toBe(`${mount.mountPath}/${path}`);
    const stores = JSON.parse(secret.stringData[path]) as FleetStore[];
    expect(() => new HubFleet({ baseUrl: variable('HUB_BASE_URL').value, stores })).not.toThrow();
    for (const { clientSecret } of stores) expect(readText(`${FOLDER}/${file}`)).not.toContain(clientSecret);
  });

  it('are selected by their labels', () => {
    const { labels } = workload.spec.template.metadata;
    expect(workload.spec.selector.matchLabels).toEqual(labels);
  });
});

it('the StatefulSet has a headless service, and as many pods as shards', () => {
  const [service, set] = resourcesOf('statefulset.yaml');
  expect(set.spec.serviceName).toBe(service.metadata.name);
  expect(service.spec.clusterIP).toBe('None');
  expect(service.spec.selector).toEqual(set.spec.template.metadata.labels);
  const [container] = set.spec.template.spec.containers;
  expect(container.env).toContainEqual({ name: 'SHARDS', value: String(set.spec.replicas) });
});
