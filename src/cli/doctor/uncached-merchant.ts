import type { State } from '../../state/port.js';

/** A state without cached merchant documents: it never returns one, and ignores writes of them. */
export function withoutMerchantCache(state: State): State {
  const isMerchant = (key: string) => key.startsWith('merchant:');
  const overrides: Partial<State> = {
    get: (key, clock) => (isMerchant(key) ? undefined : state.get(key, clock)),
    set: (key, value, options, clock) =>
      isMerchant(key) ? undefined : state.set(key, value, options, clock),
  };
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(overrides, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
