import type { DeepReadonly } from 'opendelivery-client';
import type {
  Fault,
  FaultLike,
  NewEvent,
  NewOrder,
  NewStore,
  RandomFaults,
  StatusFault,
} from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import type * as schemas from '../../src/testing/control-input.js';

type Parsed<Name extends keyof typeof schemas> = z.output<(typeof schemas)[Name]>;

/** True if both types have the same keys, optionality and value types at every depth. */
type Identical<A, B> = AreIdentical<DeepReadonly<A>, DeepReadonly<B>>;

type AreIdentical<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
    ? // The comparison above does not distinguish `a?: string` from `a?: string | undefined`.
      [A, B] extends [B, A]
      ? true
      : false
    : false;

type ShortForm = string | number;
type WithStatus = { readonly status: number };

it('the control API accepts what the methods of MockHub accept: the check is `tsc --noEmit`', () => {
  const areIdentical: readonly true[] = [
    // Over HTTP, only the fields of the standard.
    true satisfies Parsed<'newOrder'> extends NewOrder ? true : false,
    true satisfies Identical<NewEvent & { eventType: string }, Parsed<'newEvent'>>,
    true satisfies Identical<NewStore, Parsed<'newStore'>>,
    true satisfies Identical<RandomFaults, Parsed<'randomFaults'>>,
    true satisfies Identical<Extract<FaultLike, ShortForm>, Extract<Parsed<'faultLike'>, ShortForm>>,
    true satisfies Identical<StatusFault & { type?: 'status' }, Extract<Parsed<'faultLike'>, WithStatus>>,
    true satisfies Identical<
      Exclude<Fault, WithStatus>,
      Exclude<Parsed<'faultLike'>, ShortForm | WithStatus>
    >,
  ];
  expect(areIdentical).toHaveLength(7);
});
