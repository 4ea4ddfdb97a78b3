import { atOnce } from './checked-state.js';
import { expiryRule, type Rule, rule, sharedRules } from './rule.js';

const SPECIAL =
  '|\u0020|a\nb\r\n|\u0000|a\u0000b|\u0001\u001f\u007f|__proto__|null|0|{"a":1}|\'"\\`%_$1?'.split('|');
const STRINGS = [...SPECIAL, 'é e\u0301 漢字 😀 \u2028 \ufeff', '\ufeff', 'a '];
const KEYS =
  '__proto__ constructor toString key Key k key:a key/a key% k_y é e\u0301 漢字😀 \'"\\` {a} * 0 00'.split(
    ' ',
  );

export const VALUE_RULES: readonly Rule[] = [
  expiryRule('set: it replaces the lifetime of an earlier value', async (state, time) => {
    await state.set('longer', 'one', { forMs: time.shortMs });
    await state.set('longer', 'two');
    await state.set('shorter', 'one');
    await state.set('shorter', 'two', { forMs: time.shortMs });
    await time.passShort();
    await state.get('longer', 'two');
    await state.get('shorter', undefined);
  }),

  rule('set: undefined removes the value, and so does a lifetime of 0 or less', async (state) => {
    await state.set('other', 'stays');
    for (const forMs of [0, 1000]) {
      await state.set('key', 'value');
      await state.set('key', undefined, { forMs });
      await state.get('key', undefined);
    }
    for (const forMs of [0, -1, -1000]) {
      await state.set('key', 'value');
      await state.set('key', 'new', { forMs });
      await state.get('key', undefined);
    }
    await state.set('never set', undefined, { forMs: 0 });
    await state.set('never set', 'value', { forMs: 0 });
    await state.get('never set', undefined);
    await state.get('other', 'stays');
  }),

  rule('set: with ifEquals it changes only a value that is equal', async (state) => {
    await state.set('key', 'one');
    // Many databases compare texts without their case and the blanks at their end.
    for (const ifEquals of ['other', 'ONE', 'one ']) await state.set('key', 'two', { ifEquals });
    await state.get('key', 'one');
    await state.set('key', undefined, { ifEquals: 'other' });
    await state.get('key', 'one');
    await state.set('key', 'two', { forMs: 0, ifEquals: 'other' });
    await state.get('key', 'one');
    await state.set('key', 'two', { ifEquals: 'one' });
    await state.get('key', 'two');
    await state.set('key', 'three', { ifEquals: undefined });
    await state.get('key', 'three');
    await state.set('key', undefined, { forMs: 0, ifEquals: 'three' });
    await state.get('key', undefined);
  }),

  rule('set: with ifEquals it writes nothing if there is no value', async (state) => {
    for (const ifEquals of ['one', '', 'undefined', 'null']) {
      await state.set('key', 'two', { ifEquals });
      await state.get('key', undefined);
    }
    // The empty string is a value.
    await state.set('key', '');
    await state.set('key', 'two', { ifEquals: '' });
    await state.get('key', 'two');
  }),

  expiryRule(
    'set: ifEquals compares no expired value; a refused set keeps the lifetime',
    async (state, time) => {
      await state.set('expired', 'one', { forMs: time.shortMs });
      await state.set('kept', 'one', { forMs: time.shortMs });
      await state.set('kept', 'one', { ifEquals: 'other' });
      await time.passShort();
      await state.get('kept', undefined);
      await state.set('expired', 'two', { ifEquals: 'one' });
      await state.get('expired', undefined);
    },
  ),

  ...sharedRules('set: comparing with ifEquals and writing are one step', async (state, second) => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = round % 2 ? [state, second] : [second, state];
      await state.set('key', 'a');
      await atOnce(3, (at) => (at === 1 ? other.set('key', 'c') : one.set('key', 'b', { ifEquals: 'a' })));
      await second.get('key', 'c');
    }
  }),

  rule('get: it returns any string unchanged', async (state) => {
    for (const value of STRINGS) {
      await state.set('key', value);
      await state.get('key', value);
      await state.set('key', 'compared', { ifEquals: value });
      await state.get('key', 'compared');
    }
    const megabytes = 'é{"x":😀}\n'.repeat(250_000);
    await state.set('key', megabytes);
    await state.get('key', megabytes);
  }),

  rule('get: keys are distinguished, whatever string they are', async (state) => {
    const keys = [...KEYS, 'key ', 'x'.repeat(200)];
    for (const key of keys) await state.get(key, undefined);
    for (const key of keys) await state.set(key, `value of ${key}`);
    for (const key of keys) await state.get(key, `value of ${key}`);
  }),

  rule('set: values that are written at the same time are never mixed', async (state) => {
    const values = await atOnce(20, async (at) => {
      const value = String(at).repeat(10_000);
      await state.set('key', value);
      return value;
    });
    state.equal(
      values.includes(await state.tryGet('key')),
      true,
      'get returns one of the strings as a whole',
    );
  }),
];
