import { ConfigurationError } from '../errors/index.js';
import { isOptions } from './checks.js';
import type { HubClientOptions } from './client-options.js';

/** The environment variables that `HubClient.fromEnv` reads, and the options they set. */
const VARIABLES = {
  HUB_BASE_URL: 'baseUrl',
  HUB_BASE_PATH: 'basePath',
  HUB_CLIENT_ID: 'clientId',
  HUB_CLIENT_SECRET: 'clientSecret',
  HUB_API_KEY: 'apiKey',
} as const satisfies Record<string, keyof HubClientOptions>;

/**
 * The options from the environment, replaced by those in `overrides`. Empty variables count as unset.
 *
 * @throws {ConfigurationError} neither sets `baseUrl`.
 */
export function optionsFromEnvironment(overrides: Partial<HubClientOptions>): HubClientOptions {
  // The client refuses them as it always does.
  if (!isOptions(overrides)) return overrides;
  const options: Record<string, unknown> = {};
  for (const [variable, option] of Object.entries(VARIABLES)) {
    const value = process.env[variable];
    if (value) options[option] = value;
  }
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const merged: Partial<HubClientOptions> = { ...options, ...Object.fromEntries(given) };
  if (merged.baseUrl === undefined) {
    throw new ConfigurationError('baseUrl', 'is missing; set HUB_BASE_URL or pass baseUrl');
  }
  return { ...merged, baseUrl: merged.baseUrl };
}
