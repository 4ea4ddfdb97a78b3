// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

import { aliased, optional, required } from '../fields.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { number, objectOf, StringReader, string } from '../value-readers.js';

const tokenToken_type = /* @__PURE__ */ new StringReader({ values: ['bearer', 'Bearer'] });

export const token: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.access_token;
    if (typeof x !== 'string' && !aliased(o, x, 'access_token', string, issues, required, ['accessToken']))
      return UNUSABLE;
    x = o.token_type;
    if (x !== 'bearer' && x !== 'Bearer')
      aliased(o, x, 'token_type', tokenToken_type, issues, optional, ['tokenType']);
    x = o.expires_in;
    if (!Number.isFinite(x)) aliased(o, x, 'expires_in', number, issues, optional, ['expiresIn']);
    return o;
  },
};
