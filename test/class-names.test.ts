import { expect, it } from 'vitest';
import { ownClassNames } from '../.ci/class-names.mjs';

it('gives a class that names itself its own name in the package, for stack traces', () => {
  const built = `var HubClient = class _HubClient {
  static fromEnv() {
    return new _HubClient();
  }
};
var _HubClientOfUser = 1;
`;
  expect(ownClassNames.renderChunk(built).code).toBe(built.replaceAll(/\b_HubClient\b/g, 'HubClient'));
});
