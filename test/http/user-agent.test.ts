import { expect, it } from 'vitest';
import { version } from '../../package.json';
import { userAgentOf } from '../../src/http/user-agent.js';

it.each([
  [undefined, ''],
  [{ name: 'my-app' }, ' my-app'],
  [{ name: 'my-app', version: '4.5' }, ' my-app/4.5'],
  [{ name: 'my-app', url: 'https://my-app.example' }, ' my-app (https://my-app.example)'],
  [{ name: 'my-app', version: '4.5', url: 'https://my-app.example' }, ' my-app/4.5 (https://my-app.example)'],
])('of %j', (app, rest) => {
  expect(userAgentOf(app)).toBe(`opendelivery-client/${version}${rest}`);
});
