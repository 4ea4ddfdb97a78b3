/** A secret as it is, or a function that gives the present one, for rotation. */
export type Secret = string | (() => string | Promise<string>);
