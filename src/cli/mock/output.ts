import { tokenRequest } from '../../auth/request.js';
import { endpointsOf } from '../../hub/host-endpoints.js';
import type { HostProfile, ResolvedProfile } from '../../hub/profile.js';
import { profileOption } from '../../options/profile.js';
import type { JournalEntry } from '../../testing/journal.js';
import type { NewStore } from '../../testing/mock-store.js';
import type { Violation } from '../../testing/rules.js';
import { formatCount, formatTimeOfDay } from '../format.js';
import { escaped } from '../markup.js';
import type { MockOptions } from '../mock.js';
import { paint, type Styled, styled } from '../styled.js';

interface Welcome
  extends Pick<MockOptions, 'scale' | 'faults' | 'seed' | 'script' | 'replay' | 'hostProfile'> {
  readonly url: string;
  readonly stores: readonly NewStore[];
  readonly basePath: string;
  readonly profile: HostProfile;
  /** See the switch of that name. */
  readonly allowed: boolean;
}

/** The first lines: address, credentials, and commands to try. */
export function* welcomeLines(welcome: Welcome): Generator<string | Styled> {
  const { url, stores, scale, faults, basePath, allowed } = welcome;
  const profile = profileOption.check('profile', welcome.profile);
  const { tokenUrl, name } = profile;
  const endpoints = endpointsOf(profile);
  const tokenAddress =
    url + (tokenUrl === undefined ? basePath + endpoints.token.path : new URL(tokenUrl).pathname);
  yield styled`${paint('bold', 'mock hub')} at ${paint('cyan', url)}`;
  if (name !== undefined) yield `  it behaves as ${name}`;
  if (welcome.hostProfile !== undefined) yield '  from public documents, not tested at the host';
  for (const line of hostLines(profile, url, allowed)) yield `  ${line}`;
  yield styled`console at ${paint('cyan', `${url}/_mock/ui`)}`;
  yield '';
  yield* variableLines(url, stores);
  if (tokenUrl !== undefined) {
    yield '';
    yield `the token endpoint is elsewhere: set the option tokenUrl of your client to ${tokenAddress}, or pass --token-url`;
  }
  if (basePath !== (profile.basePath ?? '/opendelivery')) {
    yield '';
    yield `the base path is '${basePath}': set the option basePath of your client, or --base-path '${basePath}' of the other commands`;
  }
  const [first] = stores as readonly [NewStore];
  yield '';
  if (!profile.sign) {
    const required = Object.entries(profile.headers).map(header).join('');
    yield 'try it:';
    yield `  curl ${required}-H 'x-api-key: ${first.apiKey}' ${url}${basePath}${endpoints.merchant.path}`;
    const { headers = {}, contentType, body } = tokenRequest(first, profile.token, {});
    const own = Object.entries({
      ...headers,
      ...(profile.token.body === 'json' && { 'content-type': contentType ?? '' }),
    });
    yield `  curl ${required}${own.map(header).join('')}-d '${body}' ${tokenAddress}`;
  }
  yield 'control it:';
  yield `  npx opendelivery trigger order${new URL(url).port === '4010' ? '' : ` --url ${url}`}`;
  yield `  curl ${url}/_mock/`;
  yield `  curl -X POST ${url}/_mock/orders`;
  yield '';
  if (scale === 0) yield `the hub's clock stands still; POST ${url}/_mock/clock advances it`;
  else if (scale !== 1) yield `one minute on the hub's clock takes ${(60 / scale).toFixed(1)} s`;
  if (faults !== undefined) {
    yield `${faults * 100}% of requests fail at random; --seed ${welcome.seed} reproduces the same faults`;
  }
  if (welcome.replay !== undefined) yield `replaying '${welcome.replay}'`;
  if (welcome.script !== undefined) yield `running the script '${welcome.script}'`;
}

/** What an application is started with. */
export function* variableLines(url: string, stores: readonly NewStore[]): Generator<string> {
  yield `  HUB_BASE_URL=${url}`;
  for (const { clientId, clientSecret, apiKey } of stores) {
    yield `  HUB_CLIENT_ID=${clientId} HUB_CLIENT_SECRET=${clientSecret} HUB_API_KEY=${apiKey}`;
  }
}

/** What one must know of a host before the first request. */
function* hostLines(profile: ResolvedProfile, url: string, allowed: boolean): Generator<string> {
  const { requiresMerchants, requiresSignature, sign, statusUntilAllowed, token } = profile;
  if (token.clientIdFormat !== undefined) yield `at the host, client_id has the form ${token.clientIdFormat}`;
  if (token.per !== undefined) yield `at the host, a token is for one ${token.per}`;
  if (requiresMerchants) yield 'the host wants the shops of every poll, in the header x-polling-merchants';
  if (requiresSignature && !sign) {
    yield 'the host requires a signature on every request; a profile with `sign` makes this mock hub check it';
  }
  if (statusUntilAllowed !== undefined && !allowed) {
    yield `every request gets ${statusUntilAllowed} until the application is in the allow list: curl -X POST ${url}/_mock/allow, or start with --allowed`;
  }
}

const header = ([name, value]: readonly [string, string]) => `-H '${name}: ${value}' `;

export function requestLine({ at, method, path, status, fault, events, acknowledged }: JournalEntry): Styled {
  const response = status === undefined || status === 0 ? 'no response' : String(status);
  const colour = response.startsWith('2') ? 'green' : 'red';
  const notes = [
    ...(fault ? [`fault ${fault.type}`] : []),
    ...(events?.length ? [formatCount(events.length, 'event')] : []),
    ...(acknowledged ? [`${acknowledged.length} acknowledged`] : []),
  ];
  const after = notes.length > 0 ? styled`  ${paint('dim', notes.join(', '))}` : '';
  return styled`${formatTimeOfDay(at)}  ${paint(colour, response.padEnd(3))}  ${method.padEnd(4)} ${path}${after}`;
}

export function describeViolations(
  [first, ...others]: readonly Violation[],
  path: string | undefined,
): string {
  if (!first) return 'your application has broken no rule of the hub';
  const where = path === undefined ? '' : `; ${path} lists them`;
  const times = formatCount(others.length + 1, 'time');
  return `your application has broken the rules of the hub ${times}${where}. The first: ${first.message}`;
}

/** JUnit XML. CI systems refuse a file without a test, so no violation is a test that has passed. */
export function junitOf(violations: readonly Violation[], now: number): string {
  const counts = `tests="${Math.max(violations.length, 1)}" failures="${violations.length}" errors="0" skipped="0" time="0"`;
  const cases = violations.length === 0 ? [PASSED] : violations.map(caseOf);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="opendelivery mock" ${counts}>
  <testsuite name="the rules of the hub" ${counts} timestamp="${new Date(now).toISOString().slice(0, 19)}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
}

const PASSED = '    <testcase name="no rule was broken" classname="opendelivery.mock" time="0"/>';

function caseOf({ rule, endpoint, at, message }: Violation, index: number): string {
  const open = `    <testcase name="${rule} (violation ${index + 1})" classname="opendelivery.mock.${endpoint ?? 'other'}" time="0">`;
  const text = `${message}\nat ${new Date(at).toISOString()} on the clock of the mock hub`;
  return `${open}
      <failure message="${xml(message)}" type="${rule}">${xml(text)}</failure>
    </testcase>`;
}

/** What XML 1.0 cannot contain, escaped or not: control characters, lone surrogates, U+FFFE and U+FFFF. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const xml = (text: string) => escaped(text.replace(NOT_XML, '\ufffd'));
