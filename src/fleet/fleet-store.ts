import type { AccountCredentials } from '../auth/account.js';
import { ConfigurationError } from '../errors/index.js';
import { merchants } from '../events/merchants.js';
import { HEADER_SAFE, resolve, type Secret, secret, string } from '../options/checks.js';
import { checksOf, defaultsOf, type GivenOptions, required, withoutDefault } from '../options/table.js';

const STORE = {
  /** Your own name of the store. Unique in the fleet. */
  storeId: required(string("your own name of the store, a string such as 'rua-augusta'")),
  /** Issued by the operator: a numeric string. No two stores of a fleet have the same (Spec §4.1). */
  clientId: required(string("the client id issued by the operator, a string such as '1234'")),
  /** Issued by the operator with `clientId`: a string, or a function that returns the current one (Spec §4.1). */
  clientSecret: required<Secret>(secret('the client secret issued by the operator, a string')),
  /** Issued by the operator for the merchant document: a string, or a function that returns the current one (Spec §4.2). */
  apiKey: withoutDefault<Secret>(secret('the API key issued by the operator, a string', HEADER_SAFE)),
  /** Ids of the shops whose events are polled, if its credentials are those of several; see `PollerOptions`. Default: all. */
  merchants: withoutDefault<readonly string[]>(merchants),
};

/** A store of a fleet. */
export interface FleetStore extends GivenOptions<typeof STORE, 'storeId' | 'clientId' | 'clientSecret'> {}

/** Where a fleet takes its stores from. A function is called again, and an iterable iterated again, every `storesRefreshMs`. */
export type StoreSource = StoreList | (() => StoreList | Promise<StoreList>);

/** Stores, one after another. An array is iterable, too; it is named because the compiler then points at the wrong entry. */
export type StoreList = readonly FleetStore[] | Iterable<FleetStore> | AsyncIterable<FleetStore>;

/** Whether stores can be read from it; a string, for example, is iterable too. */
export const isStoreList = (value: unknown): value is StoreList =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

const DEFAULTS = defaultsOf(STORE);
const CHECKS = checksOf(STORE);

/** @throws {ConfigurationError} it is not a store; the message names what is missing or invalid. */
export function checkStore(name: string, given: unknown): FleetStore {
  const store = resolve<FleetStore>(`${name}.`, given, DEFAULTS as FleetStore, CHECKS as never);
  for (const key of ['storeId', 'clientId', 'clientSecret'] as const) {
    if (store[key] === undefined) throw new ConfigurationError(`${name}.${key}`, 'is missing');
  }
  return store;
}

/** Whether both describe the same account. Functions may be new ones each time, and count as the same. */
export function isSameAccount(one: FleetStore, other: AccountCredentials): boolean {
  return (
    one.clientId === other.clientId &&
    isSameSecret(one.clientSecret, other.clientSecret) &&
    isSameSecret(one.apiKey, other.apiKey)
  );
}

const isSameSecret = (one: Secret | undefined, other: Secret | undefined) =>
  one === other || (typeof one === 'function' && typeof other === 'function');
