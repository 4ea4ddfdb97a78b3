import type { FlaggedCommand, ResolvedProfile } from '../hub/profile.js';
import { boolean, listOf, oneOf } from '../options/checks.js';
import { option, optionGroup } from '../options/table.js';

/** The field `commands` of a profile. */
export const commandsOption = optionGroup<ResolvedProfile['commands']>({
  required: option<readonly FlaggedCommand[]>(
    Object.freeze([]),
    listOf(oneOf('preparing', 'pickedUp', 'delivered')),
  ),
  refuseOthers: option(false, boolean()),
});
