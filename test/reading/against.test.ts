import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/schemas/formats.js';
import { changed, cleanMerchant, cleanOrder, readMerchant, readOrder } from '../schemas/support.js';

const merchantWith = (path: string, value: unknown) =>
  readMerchant(changed(cleanMerchant(), path, value)).issues.map((issue) => `${issue.code} ${issue.against}`);

const ID = '12345678000195-c0ffee00-0000-4000-8000-00000000000a';
const start = 'services.0.serviceHours.weekHours.0.timePeriods.startTime';

describe('what an issue is against', () => {
  it.each<[string, unknown, string[]]>([
    // Required by both, by the spec only, by neither.
    ['basicInfo.corporateName', undefined, ['missing standard']],
    ['basicInfo.acceptedCards', undefined, ['missing spec']],
    ['basicInfo.averageTicket', undefined, []],
    ['status', undefined, ['defaulted standard']],
    ['items.0.status', undefined, ['defaulted spec']],
    ['optionGroups.0.status', undefined, ['defaulted standard']],
    ['optionGroups.0.priceMethod', undefined, ['defaulted spec']],
    ['optionGroups', undefined, ['defaulted spec']],
    // The standard forbids null also where it requires nothing.
    ['items.0.status', null, ['defaulted standard']],
    ['basicInfo.acceptedCards', null, ['null standard']],
    ['basicInfo.averageTicket', null, ['null standard']],
    // Formats: that of the spec, that of the standard, another one.
    [start, '10:00:00', []],
    [start, '10:00:00.000Z', ['format spec']],
    [start, '10:00:00-03:00', ['format spec']],
    [start, '10:00:60z', ['format spec']],
    [start, '10:00', ['format standard']],
    [start, '24:00:00Z', ['format standard']],
    ['id', ID, []],
    ['id', ID.slice(15), ['format spec']],
    ['id', 'é'.repeat(100), ['format spec']],
    ['id', '\u{1f355}'.repeat(36), ['format spec']],
    ['id', 'x'.repeat(101), ['format standard']],
    ['id', 'padaria-17', ['format standard']],
    ['availabilities.0.startDate', '05/01/2021', ['format spec']],
    ['services.0.serviceHours.holidayHours', [{ date: '05/01/2021' }], ['format standard']],
    ['basicInfo.document', '123', ['format standard']],
    ['lastUpdate', '2026-05-04t03:02:01z', []],
    ['lastUpdate', '04/05/2026', ['format standard']],
    ['lastUpdate', '2026-13-01T00:00:00Z', ['format standard']],
    ['lastUpdate', '2026-02-30T00:00:00Z', ['format standard']],
    ['lastUpdate', '2026-01-01T24:00:00Z', ['format standard']],
    ['lastUpdate', '2026-01-01T00:60Z', ['format standard']],
    ['lastUpdate', '2016-12-31T23:59:60Z', []],
    ['availabilities.0.startDate', '2026-00-10', ['format spec']],
    ['services.0.serviceHours.holidayHours', [{ date: '2026-02-29' }], ['format standard']],
    ['services.0.serviceHours.holidayHours', [{ date: '2028-02-29' }], []],
    // Types and values.
    ['items.0.unit', '8 pieces', ['unknown_value standard']],
    ['basicInfo.acceptedCards', ['PIX'], []],
    ['TTL', '600', ['coerced standard']],
    ['basicInfo.averageTicket', 'R$ 20', ['invalid standard']],
    // What was removed because of another issue.
    ['items.0', null, ['invalid standard', 'left_out sense']],
    ['itemOffers.0.price', { currency: 'BRL' }, ['missing standard', 'left_out sense']],
  ])('of %s = %j', (path, value, issues) => {
    expect(merchantWith(path, value)).toEqual(issues);
  });

  it('of a date is decided as by the calendar', () => {
    const { pattern } = FORMATS.date;
    const pad = (value: number) => String(value).padStart(2, '0');
    for (const year of ['0000', '0004', '1900', '2000', '2023', '2024', '2100', '2400', '9999']) {
      for (let month = 0; month <= 13; month += 1) {
        for (let day = 0; day <= 32; day += 1) {
          const date = `${year}-${pad(month)}-${pad(day)}`;
          const read = new Date(`${date}T00:00:00Z`);
          const isDay = !Number.isNaN(read.getTime()) && read.getUTCDate() === day;
          expect(pattern.test(date), date).toBe(isDay);
        }
      }
    }
  });

  it('of another spelling is the standard where it requires the field, and otherwise sense', () => {
    const order = changed(cleanOrder(), 'indoor', {
      mode: 'PLACE',
      indoorDateTime: '2026-05-04T03:02:01Z',
      table: 4,
    });
    changed(order, 'total.items', (order.total as { itemsPrice: unknown }).itemsPrice);
    changed(order, 'total.itemsPrice', undefined);
    const issues = readOrder(order).issues.map(
      ({ path, code, against }) => `${path.join('.')} ${code} ${against}`,
    );
    expect(issues).toEqual([
      'total.items alias standard',
      'indoor.table coerced sense',
      'indoor.table alias sense',
    ]);
  });
});
