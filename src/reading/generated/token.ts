// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or scripts/readers/ instead.

import { aliased, optional, required } from '../fields.js';
import { objectOf } from '../object-reader.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { number, StringReader, string } from '../value-readers.js';

const tokenToken_type = /* @__PURE__ */ new StringReader({ values: ['bearer', 'Bearer'] });

export const token: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.access_token;
    if (typeof x !== 'string') {
      y = aliased(x, 'access_token', string, issues, required, o, ['accessToken']);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.access_token = y;
    }
    x = o.token_type;
    if (x !== 'bearer' && x !== 'Bearer') {
      y = aliased(x, 'token_type', tokenToken_type, issues, optional, o, ['tokenType']);
      if (y !== x) o.token_type = y;
    }
    x = o.expires_in;
    if (!Number.isFinite(x)) {
      y = aliased(x, 'expires_in', number, issues, optional, o, ['expiresIn']);
      if (y !== x) o.expires_in = y;
    }
    return o;
  },
};
