import { expiryRule, type Rule, rule } from './trial.js';

const LONG = { forMs: 600_000 };

export const VALUE_RULES: readonly Rule[] = [
  rule('get: it returns the string of the last set, for each key alone', async ({ state, equal }) => {
    equal(await state.get('a'), undefined, 'a key that was never set is undefined');
    await state.set('a', 'one', LONG);
    await state.set('b', 'two', LONG);
    equal(await state.get('a'), 'one', 'get returns the value that set has stored');
    await state.set('a', 'three', LONG);
    equal(await state.get('a'), 'three', 'set replaces an earlier value');
    equal(await state.get('b'), 'two', 'set does not change the value of another key');
    equal(await state.get('c'), undefined, 'a key that was never set is undefined');
  }),

  expiryRule('get: a value is there until its lifetime has passed, and not longer', async (trial) => {
    const { state, time, equal } = trial;
    await state.set('key', 'value', { forMs: time.shortMs });
    await time.passMostOfShort();
    equal(await state.get('key'), 'value', 'a value is there before its lifetime has passed');
    await time.passRestOfShort();
    equal(await state.get('key'), undefined, 'a value is gone as soon as its lifetime has passed');
  }),

  expiryRule('set: it replaces the lifetime of an earlier value', async ({ state, time, equal }) => {
    await state.set('longer', 'one', { forMs: time.shortMs });
    await state.set('longer', 'two', LONG);
    await state.set('shorter', 'one', LONG);
    await state.set('shorter', 'two', { forMs: time.shortMs });
    await time.passShort();
    equal(await state.get('longer'), 'two', 'a value has the lifetime of the last set, if that is longer');
    equal(
      await state.get('shorter'),
      undefined,
      'a value has the lifetime of the last set, if that is shorter',
    );
  }),

  rule('set: undefined removes the value, and so does a lifetime of 0 or less', async ({ state, equal }) => {
    await state.set('other', 'stays', LONG);
    for (const [value, forMs] of [[undefined, 0] as const, [undefined, 1000] as const]) {
      await state.set('key', 'value', LONG);
      await state.set('key', value, { forMs });
      equal(await state.get('key'), undefined, `set of undefined with forMs ${forMs} removes the value`);
    }
    for (const forMs of [0, -1, -1000]) {
      await state.set('key', 'value', LONG);
      await state.set('key', 'new', { forMs });
      equal(await state.get('key'), undefined, `set with forMs ${forMs} removes the value`);
    }
    await state.set('never set', undefined, { forMs: 0 });
    await state.set('never set', 'value', { forMs: 0 });
    equal(await state.get('never set'), undefined, 'removing a value that does not exist is not an error');
    equal(await state.get('other'), 'stays', 'removing a value does not change another key');
  }),

  rule('set: with ifEquals it changes only a value that is equal', async ({ state, equal }) => {
    await state.set('key', 'one', LONG);
    await state.set('key', 'two', { ...LONG, ifEquals: 'other' });
    equal(await state.get('key'), 'one', 'set writes nothing if the value is not ifEquals');
    await state.set('key', undefined, { ...LONG, ifEquals: 'other' });
    equal(await state.get('key'), 'one', 'set of undefined removes nothing if the value is not ifEquals');
    await state.set('key', 'two', { forMs: 0, ifEquals: 'other' });
    equal(await state.get('key'), 'one', 'set with forMs 0 removes nothing if the value is not ifEquals');
    await state.set('key', 'two', { ...LONG, ifEquals: 'one' });
    equal(await state.get('key'), 'two', 'set writes if the value is ifEquals');
    await state.set('key', 'three', { ...LONG, ifEquals: undefined });
    equal(await state.get('key'), 'three', 'set writes always if ifEquals is undefined');
    await state.set('key', undefined, { forMs: 0, ifEquals: 'three' });
    equal(await state.get('key'), undefined, 'set of undefined removes a value that is ifEquals');
  }),

  rule('set: with ifEquals it writes nothing if there is no value', async ({ state, equal }) => {
    for (const ifEquals of ['one', '', 'undefined', 'null']) {
      await state.set('key', 'two', { ...LONG, ifEquals });
      equal(await state.get('key'), undefined, `a missing value is not equal to '${ifEquals}'`);
    }
    await state.set('key', '', LONG);
    await state.set('key', 'two', { ...LONG, ifEquals: '' });
    equal(await state.get('key'), 'two', 'the empty string is a value, which ifEquals can name');
  }),

  expiryRule(
    'set: ifEquals compares no expired value, and a refused set keeps the lifetime',
    async (trial) => {
      const { state, time, equal } = trial;
      await state.set('expired', 'one', { forMs: time.shortMs });
      await state.set('kept', 'one', { forMs: time.shortMs });
      await state.set('kept', 'one', { ...LONG, ifEquals: 'other' });
      await time.passShort();
      equal(await state.get('kept'), undefined, 'a refused set does not change the lifetime');
      await state.set('expired', 'two', { ...LONG, ifEquals: 'one' });
      equal(await state.get('expired'), undefined, 'an expired value is not equal to ifEquals');
    },
  ),

  rule('set: comparing with ifEquals and writing are one step', async ({ state, equal }) => {
    for (let round = 0; round < 5; round += 1) {
      await state.set('key', 'a', LONG);
      await Promise.all([
        state.set('key', 'b', { ...LONG, ifEquals: 'a' }),
        state.set('key', 'c', LONG),
        state.set('key', 'b', { ...LONG, ifEquals: 'a' }),
      ]);
      equal(
        await state.get('key'),
        'c',
        "after set 'c', a call with ifEquals 'a' at the same time writes nothing",
      );
    }
  }),

  rule('get: it returns any string unchanged', async ({ state, equal }) => {
    const special = [
      '',
      ' ',
      'a\nb\r\n',
      '\u0000',
      'a\u0000b',
      '\u0001\u001f\u007f',
      '__proto__',
      'null',
      '0',
    ];
    const written = [...special, '{"a":1}', '\'"\\`%_$1?', 'é e\u0301 漢字 😀 \u2028 \ufeff', '\ufeff', 'a '];
    for (const value of written) {
      await state.set('key', value, LONG);
      equal(await state.get('key'), value, 'get returns the string as it was written');
      await state.set('key', 'compared', { ...LONG, ifEquals: value });
      equal(await state.get('key'), 'compared', `ifEquals finds the string ${JSON.stringify(value)}`);
    }
    const megabytes = 'é{"x":😀}\n'.repeat(250_000);
    await state.set('key', megabytes, LONG);
    equal(
      (await state.get('key')) === megabytes,
      true,
      'a string of 2.5 million characters is returned unchanged',
    );
  }),

  rule('get: keys are distinguished, whatever string they are', async ({ state, equal }) => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'key',
      'Key',
      'key ',
      'k',
      'key:a',
      'key/a',
      'key%',
    ];
    const keys = [
      ...names,
      'k_y',
      'é',
      'e\u0301',
      '漢字😀',
      '\'"\\`',
      '{a}',
      '*',
      '0',
      '00',
      'x'.repeat(200),
    ];
    for (const key of keys) equal(await state.get(key), undefined, `the key ${key} was never set`);
    for (const key of keys) await state.set(key, `value of ${key}`, LONG);
    for (const key of keys) equal(await state.get(key), `value of ${key}`, 'each key has a value of its own');
  }),

  rule('set: values that are written at the same time are never mixed', async ({ state, equal }) => {
    const values = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    await Promise.all(values.map((value) => state.set('key', value, LONG)));
    equal(
      values.includes((await state.get('key')) ?? ''),
      true,
      'the value is one of the written strings, as a whole',
    );
  }),
];
