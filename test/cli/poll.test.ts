import { describe, expect, it, vi } from 'vitest';
import { afterAdvance } from '../support.js';
import { exits, hubInEnvironment, interrupt, opendelivery } from './support.js';

describe('opendelivery poll', () => {
  it('prints the new events of each poll, and acknowledges nothing', async () => {
    const { clock, mock } = await hubInEnvironment();
    const first = mock.createOrder();
    const ran = opendelivery('poll', { clock });
    await clock.advance('10s');
    expect(ran.err).toContain('No event is acknowledged');
    expect(ran.out.split('\n')).toHaveLength(2);
    expect(ran.out).toContain(`order ${first.orderId}`);
    const second = mock.emit('CANCELLED', { orderId: first.orderId });
    await clock.advance('5m');
    expect(ran.out.split('\n')).toHaveLength(3);
    expect(ran.out).toContain(second.eventId);
    interrupt();
    expect(await ran.code).toBe(0);
    expect(mock.acknowledged()).toEqual([]);
    expect(mock.pending()).toHaveLength(2);
    expect(mock.violations()).toEqual([]);
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'polling').length).toBeGreaterThan(9);
  });

  it('prints the time on this machine of a createdAt without a zone, which is UTC', async () => {
    const { clock, mock } = await hubInEnvironment();
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    mock.emit('CREATED', { createdAt: '2026-01-05T12:30:00' });
    expect((await exits(0, 'poll --once', { clock })).out).toMatch(/^09:30:00/m);
  });

  it('prints one JSON object per line, and nothing else, with --json', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.createOrder();
    mock.emit('A_TYPE_OF_TOMORROW');
    const ran = await exits(0, 'poll --once --json', { clock });
    const events = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { eventType: string });
    expect(events.map(({ eventType }) => eventType)).toEqual(['CREATED', 'A_TYPE_OF_TOMORROW']);
  });

  it('acknowledges each printed event with --acknowledge', async () => {
    const { clock, mock } = await hubInEnvironment();
    for (let count = 0; count < 3; count += 1) mock.createOrder();
    const ran = opendelivery('poll --acknowledge', { clock });
    await clock.advance('10s');
    mock.createOrder();
    await clock.advance('1m');
    expect(ran.out.trim().split('\n')).toHaveLength(4);
    expect(mock.pending()).toEqual([]);
    interrupt();
    expect(await ran.code).toBe(0);
    expect(ran.err).toContain('4 events acknowledged, 0 left at the hub');
    expect(mock.violations()).toEqual([]);
  });

  it.each(['', ' --once'])(
    'leaves events at the hub when the pipe is closed (poll --acknowledge%s)',
    async (once) => {
      const { clock, mock } = await hubInEnvironment();
      for (let count = 0; count < 5; count += 1) mock.createOrder();
      const line = `poll --acknowledge --json${once}`;
      const ran = await afterAdvance(clock, '10s', exits(0, line, { clock, failAfter: 2 }));
      const written = ran.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { eventId: string }).eventId);
      expect(written).toHaveLength(2);
      expect(
        mock
          .acknowledged()
          .map(({ eventId }) => eventId)
          .sort(),
      ).toEqual(written.sort());
      expect(mock.pending()).toHaveLength(3);
    },
  );

  it('continues while the hub fails, and says so', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.faults.next('polling', 503, 5);
    const ran = opendelivery('poll', { clock });
    mock.createOrder();
    await clock.advance('5m');
    expect(ran.err).toContain('503');
    expect(ran.out).toContain('CREATED');
    interrupt();
    expect(await ran.code).toBe(0);
    expect(mock.violations()).toEqual([]);
  });

  it.each(['poll', 'poll --acknowledge'])(
    '`%s` exits with 3 if the hub refuses the credentials',
    async (commandLine) => {
      const { clock } = await hubInEnvironment();
      vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
      await exits(3, commandLine, { clock });
    },
  );

  it('shows colours and a status line on a terminal, and neither in a pipe', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.createOrder();
    const ran = opendelivery('poll', { clock, isTTY: true });
    await clock.advance('25s');
    expect(ran.err).toMatch(/next poll in \d+ s · 1 of 2 polls left this minute · 1 event so far/);
    expect(ran.out).toContain('\u001b[32mCREATED');
    interrupt();
    await ran.code;
    expect(ran.err.endsWith('\u001b[2K')).toBe(true);
    const piped = await afterAdvance(clock, '1m', exits(0, 'poll --once', { clock }));
    expect(piped.out + piped.err).not.toContain('\u001b');
  });
});
