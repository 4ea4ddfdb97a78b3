import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { ENDPOINTS, type EndpointName, type HostProfile, type RequestSigner } from 'opendelivery-client';

export const signer =
  (key: string): RequestSigner =>
  ({ method, url, body }) => {
    const text = [method, new URL(url).pathname, body].join('\n');
    return { 'x-signature': createHmac('sha256', key).update(text).digest('hex') };
  };

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

const segment = fc.stringMatching(/^[a-z][a-z0-9.:_~-]{0,8}$/);

/** A path that no other endpoint has. */
const pathOf = (name: EndpointName) =>
  fc.tuple(segment, fc.boolean()).map(([before, isTurned]) => {
    const start = `/${before}/${name}`;
    if (name === 'order') return `${start}/{orderId}`;
    if (name !== 'orderStatus') return start;
    return isTurned ? `${start}/{status}/of/{orderId}` : `${start}/{orderId}/x/{status}`;
  });

const some = <Value>(arbitraryOf: (name: EndpointName) => fc.Arbitrary<Value>) =>
  fc.record(Object.fromEntries(NAMES.map((name) => [name, arbitraryOf(name)])), { requiredKeys: [] });

const limit = fc.record({
  requests: fc.integer({ min: 1, max: 10_000 }),
  windowMs: fc.integer({ min: 1, max: 3_600_000 }),
});

const field = (name: string) => segment.map((text) => `${name}.${text}`);

const token = fc.record(
  {
    body: fc.constantFrom('form' as const, 'json' as const),
    credentials: fc.constantFrom('body' as const, 'basic' as const),
    fields: fc.record(
      { clientId: field('id'), clientSecret: field('secret'), grantType: field('grant') },
      { requiredKeys: [] },
    ),
    grantType: fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
    extra: fc.dictionary(field('extra'), segment, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

const header = segment.map((text) => `x-partner-${text.replaceAll(/[^a-z0-9-]/g, '')}`);

/** Any profile. */
export const profiles: fc.Arbitrary<HostProfile> = fc.record(
  {
    name: segment,
    basePath: fc.oneof(
      fc.constant(''),
      fc.array(segment, { minLength: 1, maxLength: 3 }).map((all) => `/${all.join('/')}`),
    ),
    tokenUrl: segment.map((text) => `https://login.example/${text}`),
    headers: fc.dictionary(header, segment, { maxKeys: 2 }),
    paths: some(pathOf),
    token,
    limits: some(() => limit),
    commands: fc.record(
      {
        required: fc.subarray(['preparing' as const, 'pickedUp' as const, 'delivered' as const]),
        refuseOthers: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    cancellationCodes: fc.array(segment, { minLength: 1, maxLength: 3 }),
    denialCodes: fc.array(segment, { minLength: 1, maxLength: 3 }),
    eventTypes: fc.array(segment, { maxLength: 3 }),
    // The client waits for a slot of the strictest limit.
    eventLifetimeMs: fc.integer({ min: 14_400_000, max: 86_400_000 }),
    confirmWithinMs: fc.integer({ min: 14_400_000, max: 86_400_000 }),
    itemUnit: segment,
    webhook: fc.record(
      {
        accepted: fc.integer({ min: 200, max: 299 }),
        unsigned: fc.constantFrom(401 as const, 403 as const),
      },
      { requiredKeys: [] },
    ),
    statusMeanings: fc.array(
      fc.record(
        {
          status: fc.integer({ min: 300, max: 599 }),
          endpoints: fc.subarray(NAMES),
          meaning: segment,
        },
        { requiredKeys: ['status', 'meaning'] },
      ),
    ),
    requiresMerchants: fc.boolean(),
    requiresSignature: fc.boolean(),
    sign: segment.map(signer),
  },
  { requiredKeys: [] },
);

/** A profile that differs from another one in one field, and the endpoint where that shows. */
export interface Difference {
  readonly field: string;
  readonly endpoint: EndpointName;
  readonly of: (profile: HostProfile) => HostProfile;
}

const inPaths = NAMES.map(
  (name): Difference => ({
    field: `paths.${name}`,
    endpoint: name,
    of: (profile) => ({
      ...profile,
      // The path of the token endpoint has no effect beside `tokenUrl`.
      ...(name === 'token' && { tokenUrl: undefined }),
      paths: { ...profile.paths, [name]: `/another${profile.paths?.[name] ?? ENDPOINTS[name].path}` },
    }),
  }),
);

const inToken = (
  name: string,
  of: (token: NonNullable<HostProfile['token']>) => HostProfile['token'],
): Difference => ({
  field: `token.${name}`,
  endpoint: 'token',
  of: (profile) => ({ ...profile, token: of(profile.token ?? {}) }),
});

export const DIFFERENCES: readonly Difference[] = [
  ...inPaths,
  inToken('body', (given) => ({ ...given, body: given.body === 'json' ? 'form' : 'json' })),
  inToken('credentials', (given) => ({
    ...given,
    credentials: given.credentials === 'basic' ? 'body' : 'basic',
  })),
  inToken('fields', (given) => ({ ...given, fields: { ...given.fields, grantType: 'another_grant_type' } })),
  inToken('grantType', (given) => ({ ...given, grantType: `${given.grantType ?? ''}another` })),
  inToken('extra', (given) => ({ ...given, extra: { ...given.extra, another: 'field' } })),
  {
    field: 'basePath',
    endpoint: 'token',
    of: (profile) => ({ ...profile, tokenUrl: undefined, basePath: `${profile.basePath ?? ''}/another` }),
  },
  {
    field: 'tokenUrl',
    endpoint: 'token',
    of: (profile) => ({ ...profile, tokenUrl: 'https://another.example/another-path' }),
  },
  {
    field: 'headers',
    endpoint: 'token',
    of: (profile) => ({ ...profile, headers: { ...profile.headers, 'x-another': 'key' } }),
  },
  { field: 'sign', endpoint: 'token', of: (profile) => ({ ...profile, sign: signer('ANOTHER-KEY') }) },
];
