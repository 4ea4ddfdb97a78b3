import * as z from 'zod';
import { ENDPOINT_NAMES } from '../../hub/endpoints.js';
import { memoryState } from '../../state/memory-state.js';
import type { Clock } from '../../time/clock.js';
import type { EndpointFinding } from '../doctor/examine.js';
import { CHECKS, type Report } from '../doctor/report/report.js';
import { doctorCommand } from '../doctor.js';
import { Captured } from './captured.js';
import { type Tool, tool } from './tool.js';

const examination = z.strictObject({
  endpoint: z.enum(ENDPOINT_NAMES).exactOptional(),
  check: z.enum(CHECKS.map(({ id }) => id) as [string, ...string[]]).exactOptional(),
  report: z.boolean().exactOptional(),
  write: z.boolean().exactOptional(),
});

interface Examined {
  readonly findings: readonly EndpointFinding[];
  readonly report: Report;
}

/**
 * `opendelivery doctor` for the hub that the variables of the environment name.
 *
 * @param ending - ends what runs.
 */
export function doctorTools(clock: Clock, ending: AbortSignal): readonly Tool[] {
  // Assistants end a call that takes a minute, so the tool does not wait for a limit.
  const runs = { state: memoryState(), maxWaitMs: 0, ending };
  return [
    tool('run_doctor', examination, {
      does: 'Tests each endpoint of a real hub once, within its limits: the hub that HUB_BASE_URL, HUB_CLIENT_ID, HUB_CLIENT_SECRET and HUB_API_KEY name in the environment or the file .env of this server. `endpoint` shows that endpoint only; `report: true` sends further requests and compares the hub with the standard, check by check; `check` shows one check of the report, such as token.lifetime. It sends nothing to the endpoints that write, unless `write: true` (then with random ids). Calls share the limits of the hub: an endpoint is `busy` if its limit allows no request now. A report uses both polls of a minute.',
      isOpenWorld: true,
      run: async ({ endpoint, check, report = check !== undefined, write = false }) => {
        const captured = new Captured(clock);
        const args = [...(report ? ['--report', 'json'] : ['--json']), ...(write ? [] : ['--read-only'])];
        await captured.run(doctorCommand(captured.terminal, runs), args);
        const { notes } = captured;
        const more = notes.length > 0 ? { notes } : {};
        if (report) return { ...partOf(JSON.parse(captured.out) as Report, endpoint, check), ...more };
        const { report: _, findings, ...rest } = JSON.parse(captured.out) as Examined;
        return { ...rest, findings: findings.filter(isOf(endpoint)), ...more };
      },
    }),
  ];
}

function partOf(report: Report, endpoint: string | undefined, id: string | undefined): Partial<Report> {
  const checks = report.checks.filter(isOf(endpoint)).filter((each) => id === undefined || each.id === id);
  return id === undefined ? { ...report, checks } : { hub: report.hub, at: report.at, checks };
}

const isOf =
  (endpoint: string | undefined) =>
  (each: { readonly endpoint: string }): boolean =>
    endpoint === undefined || each.endpoint === endpoint;
