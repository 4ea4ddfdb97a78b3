import { describe, expect, it } from 'vitest';
import { decideRefresh } from '../../src/merchant/refresh.js';
import { documentOf, type Part } from '../menu/documents.js';

const EARLY = '2026-01-05T01:00:00Z';
const NOON = '2026-01-05T12:00:00Z';
const LATE = '2026-01-05T23:00:00Z';
const FUTURE = '2036-01-01T00:00:00Z';

const document = (lastUpdate: string | undefined, more: Part = {}) =>
  documentOf({ id: 'm', items: [{ id: 'i' }], lastUpdate, ...more });
const CHANGED: Part = { items: [{ id: 'i', name: 'New' }] };

/** The action for a cached document at noon. */
const actionFor = (lastUpdate: string | undefined, more?: Part, regressedAt?: string) =>
  decideRefresh(document(NOON), document(lastUpdate, more), regressedAt ? Date.parse(regressedAt) : undefined)
    .action;

describe('a refresh', () => {
  it('keeps the cached document if it got the same object', () => {
    const cached = document(NOON);
    expect(decideRefresh(cached, cached, undefined)).toEqual({ action: 'keep' });
    expect(decideRefresh(cached, cached, Date.parse(EARLY))).toEqual({ action: 'keep' });
  });

  it('keeps the cached document if lastUpdate and content are equal', () => {
    expect(actionFor(NOON)).toBe('keep');
    expect(actionFor('2026-01-05T09:00:00-03:00')).toBe('keep');
  });

  it('replaces it if lastUpdate is equal and the content is not, and returns the changes', () => {
    expect(decideRefresh(document(NOON), document(NOON, CHANGED), undefined)).toMatchObject({
      action: 'replace',
      changes: { items: { changed: [{ id: 'i', paths: [['name']] }] } },
    });
  });

  it('replaces it if lastUpdate is newer, whether or not the content is equal', () => {
    expect(actionFor(LATE)).toBe('replace');
    expect(actionFor(LATE, CHANGED)).toBe('replace');
  });

  it('refuses an older document, and returns its date', () => {
    expect(decideRefresh(document(NOON), document(EARLY), undefined)).toEqual({
      action: 'regress',
      at: Date.parse(EARLY),
    });
    expect(actionFor(EARLY, CHANGED)).toBe('regress');
  });

  it('accepts an older document that is not older than the one refused before', () => {
    expect(actionFor(EARLY, CHANGED, EARLY)).toBe('replace');
    expect(actionFor('2026-01-05T02:00:00Z', CHANGED, EARLY)).toBe('replace');
    expect(actionFor('2026-01-05T00:59:59Z', CHANGED, EARLY)).toBe('regress');
    expect(decideRefresh(document(FUTURE), document(NOON), Date.parse(NOON)).action).toBe('replace');
  });

  it.each([undefined, '', 'yesterday', '05/01/2026'])(
    'compares the content if a lastUpdate is %j',
    (unreadable) => {
      expect(actionFor(unreadable)).toBe('keep');
      expect(actionFor(unreadable, CHANGED)).toBe('replace');
      expect(decideRefresh(document(unreadable), document(EARLY), undefined).action).toBe('keep');
      expect(decideRefresh(document(unreadable), document(EARLY, CHANGED), undefined).action).toBe('replace');
    },
  );
});
