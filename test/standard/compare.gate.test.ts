import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

function compare(...args: string[]) {
  const argv = ['--import', 'tsx', '.ci/compare-standard.ts', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' });
  return { status, stdout: stdout.trimEnd().split('\n'), stderr };
}

describe('.ci/compare-standard.ts', () => {
  it('prints what the file of another version has and lacks', () => {
    const { status, stdout, stderr } = compare('test/standard/next-version.yaml');
    expect(stderr).toBe('');
    expect(stdout.filter((line) => !line.startsWith('no longer: '))).toEqual([
      'new values TokenResponse.token_type: DPoP',
      'new field TokenResponse.scope: string, required',
      'gone field TokenResponse.expires_in',
      'gone schema Merchant',
      'gone schema Order',
      'new values Event.eventType: PAUSED',
      expect.stringMatching(/^gone values Event\.eventType: CONFIRMED, .*, CANCELLED_DENIED$/),
      'new type Event.virtualBrand: object, was string',
      'new field Event.virtualBrand.id: string',
      'new field Event.metadata.refund: boolean, required',
      'gone schema OrderConfirmed',
      'gone schema OrderDispatched',
      'gone schema OrderTracking',
      'gone schema RequestCancelled',
      'gone schema RequestDenied',
      'OpenDelivery v1.8.0: 24 differences from our schemas',
    ]);
    // A known difference that the version does not have any more.
    expect(stdout).toContain('no longer: new field Event.metadata.pickupArea: string, required');
    expect(status).toBe(1);
  });

  it('finds no difference in the version of this package', () => {
    expect(compare('test/standard/opendelivery-1.7.1.json')).toEqual({
      status: 0,
      stdout: ['OpenDelivery v1.7.1: no differences from our schemas'],
      stderr: '',
    });
  });

  it.each([
    ['without a file', [], 'usage: '],
    ['with two files', ['a.yaml', 'b.yaml'], 'usage: '],
    ['with a file that does not exist', ['nowhere.yaml'], 'nowhere.yaml cannot be compared: ENOENT'],
    [
      'with another file',
      ['package.json'],
      'package.json cannot be compared: not an OpenAPI file: it has no components.schemas',
    ],
  ])('%s ends with code 2', (_what, args, message) => {
    const { status, stdout, stderr } = compare(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: [''] });
    expect(stderr.startsWith(message)).toBe(true);
  });
});
