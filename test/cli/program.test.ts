import { afterEach, describe, expect, it, vi } from 'vitest';
import { exits } from './support.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('opendelivery', () => {
  it('prints help for every command, and exits with 0', async () => {
    for (const commandLine of ['--help', 'mock --help', 'poll --help', 'token --help', 'doctor --help']) {
      const ran = await exits(0, commandLine);
      expect(ran.out).toContain('Usage: opendelivery');
    }
    const help = await exits(0, '--help');
    for (const code of [0, 1, 2, 3, 4, 5]) expect(help.out).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'));
  });

  it('prints its version', async () => {
    const ran = await exits(0, '--version');
    expect(ran.out).toBe('1.2.3\n');
  });

  it.each([
    ['', 'Usage'],
    ['mok', "unknown command 'mok'"],
    ['poll --acknowlege', "unknown option '--acknowlege'"],
    ['mock --port 70000', 'a port from 0 to 65535'],
    ['mock --scale -1', 'a number of at least 0'],
    ['mock --faults 2', 'a number from 0 to 1'],
    ['mock --script morning', 'Allowed choices are evening'],
    ['mock --store nowhere.json', 'nowhere.json cannot be read'],
    ['token --env nowhere.env', 'nowhere.env cannot be read'],
    ['token --base-url https://hub.example --header broken', "must be 'name: value'"],
    ['token --base-url http://hub.example', 'baseUrl'],
  ])('`%s` exits with 2 and says why', async (commandLine, reason) => {
    vi.stubEnv('HUB_BASE_URL', '');
    const ran = await exits(2, commandLine);
    expect(ran.err).toContain(reason);
    expect(ran.out).toBe('');
  });
});
