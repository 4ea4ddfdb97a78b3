import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubClient } from 'opendelivery-client';
import * as hosts from 'opendelivery-client/hosts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../temporary.js';
import { exits, printedIn, servedMock } from './support.js';

const NAMES = Object.values(hosts).map(({ name }) => name);

describe('opendelivery mock --host-profile', () => {
  it.each(Object.values(hosts).map((host) => [host.name, host] as const))(
    '%s serves that host: a client with its profile polls an order and confirms it',
    async (name, { profile }) => {
      const { ran, url } = await servedMock(`--host-profile ${name} --allowed`);
      expect(ran.out).toContain(
        `it behaves as ${profile.name}\n  from public documents, not tested at the host`,
      );
      expect(ran.out).not.toContain('_mock/allow');
      const { orderId } = await ordered(url);
      const hub = clientAt(ran.out, profile);
      expect((await hub.events.poll()).events).toMatchObject([{ orderId, eventType: 'CREATED' }]);
      expect(await hub.orders.confirm(orderId)).toEqual({ alreadyThere: false });
    },
  );

  it('99food refuses everything until POST /_mock/allow, and says how', async () => {
    const { ran } = await servedMock('--host-profile 99food');
    const [, command = ''] =
      /404 until .*: curl -X POST (\S+_mock\/allow), or start with --allowed/.exec(ran.out) ?? [];
    expect(ran.out).toContain('client_id has the form {app_id}_{app_shop_id}');
    const hub = clientAt(ran.out, hosts.food99.profile);
    await expect(hub.merchant.get()).rejects.toThrow('99Food answers this until');
    expect((await fetch(command, { method: 'POST' })).status).toBe(200);
    expect((await hub.merchant.get()).merchant.id).toBeTruthy();
  });

  it('keeta says that no signature is checked, unless --profile adds a signer to the host', async () => {
    const note = 'the host requires a signature on every request';
    expect((await servedMock('--host-profile keeta')).ran.out).toContain(note);
    const file = join(temporaryDirectory(), 'keeta.mjs');
    writeFileSync(file, "export default { sign: () => ({ 'x-signature': 'right' }) };");
    const { ran } = await servedMock(`--host-profile keeta --profile ${file}`);
    expect(ran.out).toContain('it behaves as Keeta');
    expect(ran.out).not.toContain(note);
    const unsigned = clientAt(ran.out, hosts.keeta.profile);
    await expect(unsigned.merchant.get()).rejects.toMatchObject({ status: 401 });
  });

  it.each(['ubereats', 'toString', '99FOOD', ''])(
    "exits with 2 for the name '%s', and lists the known ones",
    async (name) => {
      const ran = await exits(2, `mock --port 0 --host-profile=${name}`);
      expect(ran.err).toContain(
        `--host-profile: '${name}' is not a known host; choose one of ${NAMES_IN_HELP}`,
      );
      expect(ran.out).toBe('');
    },
  );

  it('names the hosts in its help', async () => {
    const ran = await exits(0, 'mock --help');
    for (const name of NAMES) expect(ran.out).toContain(name);
  });
});

const NAMES_IN_HELP = '99food, keeta, pedidos10, ifood';

function clientAt(out: string, profile: hosts.NamedHost['profile']): HubClient {
  const hub = new HubClient({ ...printedIn(out), profile, logger: false, retry: { attempts: 1 } });
  onTestFinished(async () => void (await hub.close()));
  return hub;
}

async function ordered(url: string): Promise<{ orderId: string }> {
  const response = await fetch(`${url}/_mock/orders`, { method: 'POST' });
  return (await response.json()) as { orderId: string };
}
