import { ConfigurationError } from '../../../errors/index.js';
import { isObject } from '../../../reading/json.js';
import { readJsonFile } from '../../files.js';
import type { EndpointResult } from '../checks/observed.js';
import type { Finding } from '../report/report.js';

/** What is compared of an earlier report. */
export interface Baseline {
  /** Host and port. */
  readonly hub: string;
  /** ISO 8601. */
  readonly at: string;
  readonly endpoints: Readonly<Record<string, EndpointResult>>;
  readonly checks: ReadonlyMap<string, Pick<Finding, 'result' | 'hub'>>;
}

const OPTION = '--baseline';
const REMEDY = 'make one with `opendelivery doctor --report json --output <file>`';
const RESULTS: ReadonlySet<unknown> = new Set(['as_described', 'differs', 'not_seen']);

/**
 * Reads a report of `doctor --report json`, or the one in a document of `doctor --json`.
 *
 * @param baseUrl - the hub that will be compared with it; undefined: it is not known yet.
 */
export function readBaseline(path: string, baseUrl: string | undefined): Baseline {
  const refuse = (problem: string): never => {
    throw new ConfigurationError(OPTION, `${path} ${problem}; ${REMEDY}`);
  };
  const document = readJsonFile(OPTION, path);
  const report = isObject(document) && 'findings' in document ? document.report : document;
  if (!isObject(report)) return refuse('is not a report of the doctor');
  const { hub, at, endpoints, checks } = report;
  if (typeof hub !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) {
    return refuse('is not a report of the doctor: it lacks `hub` or `at`');
  }
  if (!isObject(endpoints) || !Array.isArray(checks) || checks.length === 0 || !checks.every(isFinding)) {
    return refuse('is not a report of the doctor: it lacks `endpoints` or `checks`');
  }
  if (baseUrl !== undefined && URL.canParse(baseUrl) && !isSameHub(hub.split(', '), new URL(baseUrl).host)) {
    return refuse(`is a report on ${hub || 'no hub'}, not on ${new URL(baseUrl).host}`);
  }
  const results = endpoints as Record<string, EndpointResult>;
  if (!Object.values(results).some((each) => each?.result === 'ok')) {
    return refuse('is the report of an examination that failed');
  }
  return {
    hub,
    at,
    endpoints: results,
    checks: new Map(checks.map(({ id, result, hub: did }) => [id, { result, hub: did }])),
  };
}

function isFinding(value: unknown): value is Pick<Finding, 'id' | 'result' | 'hub'> {
  if (!isObject(value)) return false;
  const { id, result, hub } = value;
  return (
    typeof id === 'string' &&
    RESULTS.has(result) &&
    Array.isArray(hub) &&
    hub.every((line) => typeof line === 'string')
  );
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** A hub on this machine, such as the mock hub, may have another port each time. */
function isSameHub(before: readonly string[], host: string): boolean {
  return before.includes(host) || (LOOPBACK.test(host) && before.some((each) => LOOPBACK.test(each)));
}
