import { describe, expect, it } from 'vitest';
import { MarkTable } from '../../src/state/mark-table.js';
import { scoreOf } from '../../src/state/score.js';

const score = scoreOf(7, 1000, 0);
const hash = (...words: number[]) => new Int32Array(words);

/** A table with these hashes; it is copied when it is full, and not divided. */
function tableOf(hashes: readonly Int32Array[]): MarkTable {
  const table = new MarkTable(hashes.length);
  for (const each of hashes) table.set(each, 0, score);
  return table;
}

describe('MarkTable', () => {
  it.each([0, 1, 2, 3])('distinguishes hashes that differ in word %i only', (word) => {
    const one = hash(1, 2, 3, 4);
    const other = hash(1, 2, 3, 4);
    other[word] = 9;
    const table = tableOf([one]);
    expect([table.get(one, 0), table.get(other, 0)]).toEqual([score, 0]);
    table.set(other, 0, score + 1);
    expect([table.get(one, 0), table.get(other, 0)]).toEqual([score, score + 1]);
  });

  it('finds a hash anywhere in an array, and replaces its score', () => {
    const hashes = hash(0, 0, 0, 0, 5, 6, 7, 8);
    const table = new MarkTable();
    table.set(hashes, 4, score);
    table.set(hash(5, 6, 7, 8), 0, score + 2);
    expect([table.get(hashes, 0), table.get(hashes, 4)]).toEqual([0, score + 2]);
    expect(table.entries(0)).toEqual({ hashes: hash(5, 6, 7, 8), scores: new Float64Array([score + 2]) });
  });

  it('is full before its last slot is taken', () => {
    const table = new MarkTable();
    let count = 0;
    for (; !table.isFull; count += 1) table.set(hash(count, count, 0, 0), 0, score);
    expect(count).toBe(7);
    expect(table.get(hash(99, 99, 0, 0), 0)).toBe(0);
  });

  it('leaves out what has expired when it is copied, and does not change itself', () => {
    const table = tableOf([hash(1, 1, 1, 1)]);
    table.set(hash(2, 2, 2, 2), 0, scoreOf(1, 2000, 0));
    const [copy, second] = table.rebuilt(1000);
    expect(second).toBeUndefined();
    expect([copy.get(hash(1, 1, 1, 1), 0), copy.get(hash(2, 2, 2, 2), 0)]).toEqual([0, scoreOf(1, 2000, 0)]);
    expect(table.get(hash(1, 1, 1, 1), 0)).toBe(score);
  });

  it('is divided by the next bit of the first word when it would have more than 8192 slots', () => {
    const hashes = Array.from({ length: 5000 }, (_, index) => hash(index * 4 + 1, index, 0, 0));
    const table = tableOf(hashes);
    const [first, second] = table.rebuilt(0);
    expect([first.bits, second?.bits]).toEqual([1, 1]);
    // Every first word is odd.
    expect(hashes.every((each) => first.get(each, 0) === 0 && second?.get(each, 0) === score)).toBe(true);
    const [third, fourth] = (second as MarkTable).rebuilt(0);
    expect([third.bits, third.entries(0).scores.length, fourth?.entries(0).scores.length]).toEqual([
      2, 5000, 0,
    ]);
  });

  it('grows if its hashes share sixteen bits, because dividing it does not help', () => {
    const hashes = Array.from({ length: 10_000 }, (_, index) => hash(0, index, 0, 0));
    let table = tableOf(hashes);
    for (let bits = 1; bits <= 16; bits += 1) {
      const [first, second] = table.rebuilt(0);
      expect(second?.bits).toBe(bits);
      table = first;
    }
    const [copy, second] = table.rebuilt(0);
    expect(second).toBeUndefined();
    expect(hashes.every((each) => copy.get(each, 0) === score)).toBe(true);
  });
});
