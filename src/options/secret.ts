/** A secret: a string, or a function that returns the current one, for secrets that are rotated. */
export type Secret = string | (() => string | Promise<string>);
