import type { FlaggedCommand, HostProfile, ResolvedProfile } from '../hub/profile.js';
import { boolean, listOf, object, oneOf, resolve } from '../options/checks.js';
import { checksOf, defaultsOf, option, optionGroup } from '../options/table.js';

/** The field `commands` of a profile. */
export const commandsOption = optionGroup<ResolvedProfile['commands']>({
  required: option<readonly FlaggedCommand[]>(
    Object.freeze([]),
    listOf(oneOf('preparing', 'pickedUp', 'delivered')),
  ),
  refuseOthers: option(false, boolean()),
});

/** Options of `nextCommands`. */
export interface NextCommandsOptions {
  /**
   * Whether to add the commands that the standard allows for an order of this kind, and for which the order has no flag
   * (`sendPreparing`, `sendPickedUp`, `sendDelivered`). Default: false.
   */
  readonly optional?: boolean | undefined;
  /** The host, as for `HubClient`; its `commands.required` is read. Default: a host as in the standard. */
  readonly profile?: HostProfile | undefined;
}

const OPTIONS = {
  optional: option(false, boolean()),
  profile: option<HostProfile>({}, object('the profile of a host')),
};

const DEFAULTS = defaultsOf(OPTIONS);
const CHECKS = checksOf(OPTIONS);

/** @throws {ConfigurationError} an option is unknown or invalid. */
export function resolveNextCommandsOptions(given: NextCommandsOptions) {
  const { optional, profile } = resolve('', given, DEFAULTS, CHECKS);
  const { required } = commandsOption.check('profile.commands', profile.commands ?? {});
  return { optional, required };
}
