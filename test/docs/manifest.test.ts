import { type FleetStore, HubFleet } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { codeBlocksOf, readText } from './blocks.js';

const GUIDE = readText('docs/many-stores.md');

// biome-ignore lint/suspicious/noExplicitAny: the tests check what they read
type Any = any;

/** The manifest of the guide: its resources by kind, and the container of its pods. */
function manifest() {
  const blocks = codeBlocksOf(GUIDE).filter(({ language }) => language === 'yaml');
  expect(blocks).toHaveLength(1);
  const documents = parseAllDocuments(blocks[0]?.code ?? '');
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const resources = documents.map((document): Any => document.toJS());
  expect(resources.map(({ kind }) => kind)).toEqual(['Secret', 'Service', 'StatefulSet']);
  const [secret, service, set] = resources;
  const pod = set.spec.template.spec;
  expect(pod.containers).toHaveLength(1);
  return { secret, service, set, pod, container: pod.containers[0] };
}

it('asks for the life and the readiness of a pod at a port that the container has', () => {
  const { container } = manifest();
  const { livenessProbe, readinessProbe, ports } = container;
  expect([livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/livez', '/readyz']);
  for (const { httpGet } of [livenessProbe, readinessProbe]) {
    expect(ports.map(({ name }: Any) => name)).toContain(httpGet.port);
  }
  for (const { containerPort } of ports) expect(GUIDE).toContain(`server.listen(${containerPort})`);
});

it('has its credentials only in the secret, as the code of the guide reads them', () => {
  const { secret, pod, container } = manifest();
  const code = codeBlocksOf(GUIDE).find(({ source }) => source?.endsWith('#shard'))?.code ?? '';
  const read = [...code.matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name);
  // The pod's name is in HOSTNAME.
  expect(container.env.map(({ name }: Any) => name).sort()).toEqual(
    read.filter((name) => name !== 'HOSTNAME').sort(),
  );

  const variable = (name: string) => container.env.find((each: Any) => each.name === name);
  const redis = variable('REDIS_URL')?.valueFrom?.secretKeyRef;
  expect(redis?.name).toBe(secret.metadata.name);
  expect(secret.stringData[redis?.key ?? '']).toMatch(/^rediss?:/);

  const [volume] = pod.volumes;
  expect(volume?.secret.secretName).toBe(secret.metadata.name);
  const mount = container.volumeMounts.find(({ name }: Any) => name === volume?.name);
  const [file = ''] = volume?.secret.items.map(({ path }: Any) => path) ?? [];
  expect(variable('STORES_FILE')?.value).toBe(`${mount?.mountPath}/${file}`);
  const stores = JSON.parse(secret.stringData[file] ?? '') as FleetStore[];
  expect(() => new HubFleet({ baseUrl: 'https://hub.example', stores })).not.toThrow();
  for (const { clientSecret } of stores) {
    expect(JSON.stringify(container)).not.toContain(clientSecret);
  }
});

it('names the pods by a service, counts them twice alike, and gives node itself the time to stop', () => {
  const { service, set, pod, container } = manifest();
  expect(set.spec.serviceName).toBe(service.metadata.name);
  expect(service.spec.clusterIP).toBe('None');
  const { labels } = set.spec.template.metadata;
  expect(service.spec.selector).toEqual(labels);
  expect(set.spec.selector.matchLabels).toEqual(labels);
  expect(service.spec.ports.map(({ port }: Any) => port)).toEqual(
    container.ports.map((each: Any) => each.containerPort),
  );
  expect(container.env).toContainEqual({ name: 'REPLICAS', value: String(set.spec.replicas) });
  expect(container.command[0]).toBe('node');
  // `stop` waits for 30 seconds.
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
});
