import { memoryState, systemClock } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { withoutMerchantCache } from '../../../src/cli/doctor/uncached-merchant.js';

it('hides cached merchant documents, and does not change them', async () => {
  const state = memoryState();
  await state.set('merchant:1', 'cached', { forMs: 60_000 }, systemClock);
  const uncached = withoutMerchantCache(state);
  expect(await uncached.get('merchant:1', systemClock)).toBeUndefined();
  await uncached.set('merchant:1', 'other', { forMs: 60_000 }, systemClock);
  expect(await state.get('merchant:1', systemClock)).toBe('cached');
});

it('passes everything else on', async () => {
  const state = memoryState();
  const uncached = withoutMerchantCache(state);
  await uncached.set('token:1', 'cached', { forMs: 60_000 }, systemClock);
  expect(await state.get('token:1', systemClock)).toBe('cached');
});
