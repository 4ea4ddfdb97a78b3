import type { State } from '../state/port.js';

/** The state without the copies of menus: a client over it asks the hub, and leaves the copy of others as it is. */
export function withoutMenu(state: State): State {
  const isMenu = (key: string) => key.startsWith('merchant:');
  const instead: Partial<State> = {
    get: (key, clock) => (isMenu(key) ? undefined : state.get(key, clock)),
    set: (key, value, ttlMs, clock) => (isMenu(key) ? undefined : state.set(key, value, ttlMs, clock)),
  };
  return new Proxy(state, {
    get(target, name) {
      const own: unknown = Reflect.get(instead, name) ?? Reflect.get(target, name);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
