import { ConfigurationError } from '../errors/index.js';
import type { AppInfo } from '../http/request.js';
import { type Check, HEADER_SAFE, object, resolve, string } from './checks.js';

/** A `token` of HTTP (RFC 9110 §5.6.2), which is what a header name and a product in `user-agent` must be. */
const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that the client sets itself: credentials, and what describes the message and the connection. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'transfer-encoding',
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'accept-encoding',
]);

const headerValue = string('a header value in printable ASCII', HEADER_SAFE);

/** Extra headers, with their names in lower case. */
export const headers: Check<Readonly<Record<string, string>>> = (name, value) => {
  const given = object<object>('an object of header names and values')(name, value);
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new ConfigurationError(name, "must be a plain object such as { 'x-partner': 'key' }");
  }
  const checked: Record<string, string> = {};
  for (const [key, content] of Object.entries(given)) {
    const option = `${name}.${key}`;
    if (!HTTP_TOKEN.test(key)) {
      throw new ConfigurationError(
        option,
        "must be a header name such as 'x-partner': letters, digits and dashes",
      );
    }
    const lowerCaseName = key.toLowerCase();
    if (RESERVED_HEADERS.has(lowerCaseName)) {
      throw new ConfigurationError(
        option,
        'is set by the client; leave it out, and use clientSecret and apiKey for credentials',
      );
    }
    checked[lowerCaseName] = headerValue(option, content);
  }
  return Object.freeze(checked);
};

const MAX_PRODUCT_LENGTH = 100;

const product = (description: string): Check<string> => {
  const remedy = `must be ${description}: at most ${MAX_PRODUCT_LENGTH} letters, digits and characters of -._~, no blanks`;
  return (name, value) => {
    if (typeof value === 'string' && value.length <= MAX_PRODUCT_LENGTH && HTTP_TOKEN.test(value)) {
      return value;
    }
    throw new ConfigurationError(name, remedy);
  };
};

/** An address that can be sent in a comment of `user-agent`: printable ASCII without parentheses and backslashes. */
const APP_URL = /^https?:\/\/[\x21-\x27\x2a-\x5b\x5d-\x7e]{1,200}$/;

const appUrl: Check<string> = (name, value) => {
  if (typeof value === 'string' && APP_URL.test(value) && URL.canParse(value)) return value;
  throw new ConfigurationError(
    name,
    "must be an address such as 'https://my-app.example', without parentheses",
  );
};

/** The application's name, version and address, as they are sent in `user-agent`. */
export const appInfo: Check<AppInfo> = (name, value) => {
  const given = resolve<Partial<AppInfo>>(
    `${name}.`,
    value,
    {},
    { name: product("a name such as 'my-app'"), version: product("a version such as '1.2.3'"), url: appUrl },
  );
  if (given.name === undefined) {
    throw new ConfigurationError(`${name}.name`, "is missing; give a name such as 'my-app'");
  }
  return Object.freeze({ ...given, name: given.name });
};
