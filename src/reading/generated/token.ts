// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

import { optional, required } from '../fields.js';
import { objectReader } from '../object-reader.js';
import type { Reader } from '../reader.js';
import { number, StringReader, string } from '../value-readers.js';

const tokenToken_type = /* @__PURE__ */ new StringReader({ values: ['bearer', 'Bearer'] });

export const token: Reader = /* @__PURE__ */ objectReader({
  access_token: [required, string, ['accessToken']],
  token_type: [optional, tokenToken_type, ['tokenType']],
  expires_in: [optional, number, ['expiresIn']],
});
