// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

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
    if (!aliased(o, o.access_token, 'access_token', string, issues, required, ['accessToken']))
      return UNUSABLE;
    aliased(o, o.token_type, 'token_type', tokenToken_type, issues, optional, ['tokenType']);
    aliased(o, o.expires_in, 'expires_in', number, issues, optional, ['expiresIn']);
    return o;
  },
};
