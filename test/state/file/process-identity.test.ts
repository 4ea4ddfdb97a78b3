import { describe, expect, it } from 'vitest';
import { livenessOf, parseIdentity, thisProcess } from '../../../src/state/file/process-identity.js';

const self = { pid: 4_194_309, host: 'here', boot: 'boot-2', namespace: 'pid:[1]', begun: '77' };
const NO_SUCH_PID = 4_194_310;

describe('livenessOf', () => {
  it.each([
    ['without an identity', undefined, 'unknown'],
    ['with a pid that no process has', { ...self, pid: NO_SUCH_PID }, 'dead'],
    ['of an earlier boot of this machine', { ...self, boot: 'boot-1' }, 'dead'],
    ['of another machine', { ...self, boot: 'boot-9', host: 'there' }, 'unknown'],
    ['of another container', { ...self, namespace: 'pid:[2]' }, 'unknown'],
    ['of this boot under an earlier host name', { ...self, host: 'old', pid: NO_SUCH_PID }, 'dead'],
    ['without a boot id', { ...self, boot: '' }, 'unknown'],
  ] as const)('of a process %s', (_which, owner, liveness) => {
    expect(livenessOf(owner, self)).toBe(liveness);
  });

  it('compares host names where there is no boot id', () => {
    const here = { ...self, boot: '', namespace: '' };
    expect(livenessOf({ ...here, pid: NO_SUCH_PID }, here)).toBe('dead');
    expect(livenessOf({ ...here, pid: NO_SUCH_PID, host: 'there' }, here)).toBe('unknown');
  });

  it.skipIf(thisProcess().begun === '')(
    'is unknown for this process, and dead for an earlier one with its pid',
    () => {
      const here = thisProcess();
      expect(livenessOf(here)).toBe('unknown');
      expect(livenessOf({ ...here, begun: '1' })).toBe('dead');
      expect(livenessOf({ ...here, begun: '' })).toBe('unknown');
    },
  );

  it.skipIf(thisProcess().begun === '')('is alive for another process that runs', () => {
    const here = thisProcess();
    expect(livenessOf(here, { ...here, pid: here.pid + 1 })).toBe('alive');
  });
});

describe('parseIdentity', () => {
  it('reads what JSON.stringify has written', () => {
    expect(parseIdentity(JSON.stringify(self))).toEqual(self);
  });

  it.each(['', 'null', '[]', '{"pid":12', '{"pid":0,"host":"","boot":"","namespace":"","begun":""}'])(
    'returns undefined for %j',
    (json) => expect(parseIdentity(json)).toBeUndefined(),
  );

  it.each(Object.keys(self))('returns undefined for %s of a wrong type', (field) => {
    expect(parseIdentity(JSON.stringify({ ...self, [field]: null }))).toBeUndefined();
  });
});
