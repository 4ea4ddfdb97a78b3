import { Inject, Optional } from '@nestjs/common';
import { isThenable } from '../async/promises.js';
import type {
  DeadLetter,
  HubEventName,
  LifecycleEvents,
  PollerEventName,
} from '../engine/lifecycle-events.js';
import { ConfigurationError } from '../errors/index.js';
import type { AnyOrderEvent, OrderEvent } from '../schemas/event.js';
import type { KnownEventType } from '../schemas/event-types.js';

/** What a listener of this name gets as its first argument. */
export type OrderEventSubject<Name> = Name extends keyof LifecycleEvents
  ? LifecycleEvents[Name]
  : Name extends 'deadLetter'
    ? DeadLetter
    : Name extends KnownEventType
      ? OrderEvent<Name>
      : AnyOrderEvent;

/** The decorator of a method that listens to events of this name. It does not compile on a method that expects something else. */
export type OrderEventMethod<Name> = <
  Listener extends (subject: OrderEventSubject<Name>, context: never) => unknown,
>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Listener>,
) => void;

/** A decorated method. */
interface Decorated {
  readonly name: string;
  readonly method: string | symbol;
}

/** A decorated method of an instance that the application has created. */
export interface FoundListener {
  /** For messages: 'OrdersService.save'. */
  readonly where: string;
  readonly name: string;
  readonly call: (subject: never, context: never) => unknown;
}

/** What `ModulesContainer` of @nestjs/core has of each module. */
export interface ModuleOfNest {
  readonly providers: ReadonlyMap<unknown, WrapperOfNest>;
  readonly controllers: ReadonlyMap<unknown, WrapperOfNest>;
}

interface WrapperOfNest {
  readonly instance: unknown;
  /** The class, or the function of a factory. */
  readonly metatype: unknown;
  readonly isTransient: boolean;
  /** False: it is request-scoped, perhaps through one of its dependencies. */
  isDependencyTreeStatic(): boolean;
}

/** The decorated methods of each class, by its prototype. */
const methodsOf = new WeakMap<object, Decorated[]>();

/** Where Nest puts the collector of its application, in each instance of a class with decorated methods. */
const COLLECTOR = Symbol('opendelivery-client: listeners of the application');

/**
 * Calls the method for order events of this type, as `poller.on` or `fleet.on` does: the event is acknowledged when its
 * promise has resolved, and never before. The second argument is the context of the listener. Any name of
 * `poller.on` can be used: a type, `event` for all of them, `deadLetter`, or a lifecycle event such as `error`.
 *
 * The class is a provider or a controller of the application, once, and not request-scoped. A factory may make it.
 *
 * @param name - pass a hub's own event type as a string: `@OnOrderEvent('REFUNDED' as string)`. A misspelled name, or a
 * second listener of a type with an inbox, is a `ConfigurationError` when the application starts.
 *
 * @example
 * ```ts
 * @Injectable()
 * class OrdersService {
 *   @OnOrderEvent('CREATED')
 *   async save(event: OrderEvent, { hub }: EventContext) { … }
 * }
 * ```
 */
export function OnOrderEvent<Name extends PollerEventName>(name: Name): OrderEventMethod<Name>;
export function OnOrderEvent<Name extends string>(name: HubEventName<Name>): OrderEventMethod<string>;
export function OnOrderEvent(name: string): OrderEventMethod<string> {
  return (target, method) => {
    if (typeof target === 'function') {
      throw new ConfigurationError(
        'OnOrderEvent',
        `'${name}' of ${target.name}.${String(method)}: is a static method; Nest makes instances, so decorate a method of them`,
      );
    }
    methodsOf.set(target, [...(methodsOf.get(target) ?? []), { name, method }]);
    if (COLLECTOR in target) return;
    // Nest injects properties into what it makes of a class, also after the start, when there is no search any more. An
    // instance that a unit test creates itself has no collector.
    Object.defineProperty(target, COLLECTOR, {
      set(this: object, collector: ListenerCollector) {
        collector.add(this);
      },
    });
    Inject(ListenerCollector)(target, COLLECTOR);
    Optional()(target, COLLECTOR);
  };
}

/** The listeners of one application. */
export class ListenerCollector {
  readonly #instances = new Set<object>();
  #isClosed = false;

  /** @throws {ConfigurationError} the class has an instance already, or the application has started. */
  add(instance: object): void {
    if (this.#instances.has(instance)) return;
    const { name } = instance.constructor;
    if (this.#isClosed) {
      throw new ConfigurationError(
        'OnOrderEvent',
        `${name} was created after the application had started, so its methods would not be called; do not make it ` +
          'request-scoped or transient, and move the listeners into a provider that exists from the start',
      );
    }
    if ([...this.#instances].some((each) => each.constructor === instance.constructor)) {
      throw new ConfigurationError(
        'OnOrderEvent',
        `${name} is created twice, so each event would be handled twice; provide it in one module, and export it from there`,
      );
    }
    this.#instances.add(instance);
  }

  /**
   * The listeners of all instances; later ones are refused.
   *
   * @param modules - with the instances that factories and the application have made: Nest injects nothing into them.
   */
  close(modules: Iterable<ModuleOfNest>): FoundListener[] {
    for (const { providers, controllers } of modules) {
      for (const [token, provider] of [...providers, ...controllers]) {
        const isRequestScoped = !provider.isDependencyTreeStatic();
        // Before a request there is only a placeholder of one; the token of a factory is often the class.
        if (isRequestScoped) for (const each of [provider.metatype, token]) refuseListeners(each);
        if (provider.isTransient || isRequestScoped) continue;
        const instance = Object(provider.instance);
        if (listenersOf(instance).length > 0) this.add(instance);
      }
    }
    this.#isClosed = true;
    return [...this.#instances].flatMap(listenersOf);
  }
}

/** @throws {ConfigurationError} it is a class with decorated methods. */
function refuseListeners(value: unknown): void {
  const { prototype, name } = Object(value) as { prototype?: unknown; name?: unknown };
  if (!(COLLECTOR in Object(prototype))) return;
  throw new ConfigurationError(
    'OnOrderEvent',
    `${name} is request-scoped, perhaps through what it injects, so its methods would not be called; move the ` +
      'listeners into a provider that exists from the start',
  );
}

/** Also the methods that its class has inherited; an overridden method is called once. */
function listenersOf(instance: object): FoundListener[] {
  const found = new Map<string, FoundListener>();
  for (
    let target = Object.getPrototypeOf(instance) as object | null;
    target;
    target = Object.getPrototypeOf(target)
  ) {
    for (const { name, method } of methodsOf.get(target) ?? []) {
      const where = `${instance.constructor.name}.${String(method)}`;
      const key = `${name} ${where}`;
      if (found.has(key)) continue;
      found.set(key, {
        where,
        name,
        call(subject, context) {
          const listener = Reflect.get(instance, method) as FoundListener['call'];
          const returned = listener.call(instance, subject, context);
          return isThenable(returned) ? returned.then(completed) : completed(returned);
        },
      });
    }
  }
  return [...found.values()];
}

/** What rxjs calls an Observable. */
interface Observable {
  readonly pipe: unknown;
  subscribe(observer: { complete: () => void; error: (error: unknown) => void }): unknown;
}

const isObservable = (value: unknown): value is Observable =>
  typeof Object(value).pipe === 'function' && typeof Object(value).subscribe === 'function';

/** As Nest does with what a controller returns. Without it, a request with HttpService would never be sent. */
const completed = (value: unknown): unknown =>
  isObservable(value)
    ? new Promise<void>((complete, error) => void value.subscribe({ complete, error }))
    : value;
