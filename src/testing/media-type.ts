/** In lower case and without parameters, such as the `charset` (RFC 9110, 8.3.1). */
export const mediaTypeOf = (headers: Headers) =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
