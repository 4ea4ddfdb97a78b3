/** Marks our errors, also those of another copy of this package, whose classes are different objects. */
export const BRAND = Symbol.for('opendelivery-client.HubError');

/** What every `HubError` can be made of, beside its message. */
export interface HubErrorOptions {
  /** The error that led to this one. Default: none. */
  readonly cause?: unknown;
  /** Whether the same call may succeed later without a change. Default: false. */
  readonly retryable?: boolean;
  /** `unknown`: the hub may have carried out the command. Default: it has not. */
  readonly outcome?: 'unknown';
}

/** Base class of every error of this package. Use `isHubError` to recognize one, then `switch` on `code`. */
export abstract class HubError extends Error {
  /**
   * The name of the class, also in a bundle that an application has minified.
   *
   * @hidden
   */
  static override readonly name: string = 'HubError';

  /**
   * Whether a value is an error of this class or of the same class in another copy of this package: in CommonJS,
   * each entry has its own copy.
   *
   * @hidden
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: each class compares itself.
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
    for (
      let prototype = Object.getPrototypeOf(value);
      prototype;
      prototype = Object.getPrototypeOf(prototype)
    ) {
      // biome-ignore lint/complexity/noThisInStatic: each class compares itself.
      if (isSameClass(prototype.constructor, this)) return true;
    }
    return false;
  }

  /** The kind of error, as a literal type for your `switch`. */
  abstract readonly code: string;
  /** Whether the same call may succeed later without a change. Never true beside an unknown `outcome`. */
  readonly retryable: boolean;
  /**
   * Set if the hub may have carried out a command although the call failed (Spec §4.5).
   * Read the order before you send the command again.
   */
  declare readonly outcome?: 'unknown';

  constructor(message: string, options: HubErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    // Who repeats a command that may have been carried out has to read the order first.
    this.retryable = options.outcome === undefined && options.retryable === true;
    if (options.outcome) this.outcome = options.outcome;
    Object.defineProperty(this, BRAND, { value: true });
    Object.defineProperty(this, 'name', { enumerable: false });
  }

  /** A plain object for logs: name, code, message and the fields of the class, without the stack. */
  toJSON(): Record<string, unknown> {
    return Object.assign({} as Record<string, unknown>, { name: this.name, message: this.message }, this);
  }
}

function isSameClass(one: unknown, other: { readonly name: string }): boolean {
  return one === other || (isOurs(one) && isOurs(other) && one.name === other.name);
}

/**
 * Whether a value is a class of this package. Each of these declares a static `name`, which makes it enumerable;
 * the name of an application's class is not.
 */
function isOurs(value: unknown): value is { readonly name: string } {
  return typeof value === 'function' && Object.prototype.propertyIsEnumerable.call(value, 'name');
}
