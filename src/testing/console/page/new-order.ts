import { announce } from './announce.js';
import { request } from './commands.js';
import { openDialog } from './dialog.js';
import { button, el, field, select } from './dom.js';
import { storeOptions } from './stores.js';
import { t } from './texts.js';

const TYPES = ['DELIVERY', 'TAKEOUT', 'INDOOR'];
const TIMINGS = ['INSTANT', 'SCHEDULED', 'ONDEMAND'];
const DELIVERERS = ['MERCHANT', 'MARKETPLACE'];
const PARTS = ['options', 'discounts', 'fees', 'change'];
const MAX_COUNT = 200;

/** Asks what kind of order, and creates it. */
export function openNewOrder(clientId: string): void {
  const texts = t().orders;
  const stores = storeOptions();
  const store = select(stores, clientId || (stores[0]?.[0] ?? ''));
  const deliveredBy = choices('deliveredBy', texts.deliveredBy, DELIVERERS, texts.deliverers);
  const type = choices('type', texts.type, TYPES, texts.types);
  type.addEventListener('change', () => {
    deliveredBy.disabled = chosen(type) !== 'DELIVERY';
  });
  const timing = choices('timing', texts.timing, TIMINGS, texts.timings);
  const parts = PARTS.map((part) => el('input', { type: 'checkbox', value: part }));
  const count = el('input', { type: 'number', min: 1, max: MAX_COUNT, value: 1 });
  const form: HTMLFormElement = el(
    'form',
    { method: 'dialog', class: 'form' },
    stores.length > 1 && field(t().store, store),
    type,
    timing,
    deliveredBy,
    el(
      'fieldset',
      {},
      el('legend', {}, texts.include),
      ...parts.map((input) =>
        el('label', { class: 'choice' }, input, texts.parts[input.value] ?? input.value),
      ),
    ),
    field(texts.count, count, { class: 'field narrow' }),
    el(
      'div',
      { class: 'bar' },
      button(texts.createIt, () => form.requestSubmit(), { class: 'primary', autofocus: true }),
    ),
  );
  const dialog = openDialog(texts.create, () => {}, form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const order = {
      clientId: store.value,
      type: chosen(type),
      orderTiming: chosen(timing),
      ...(!deliveredBy.disabled && { deliveredBy: chosen(deliveredBy) }),
      include: parts.filter(({ checked }) => checked).map(({ value }) => value),
    };
    dialog.close();
    void create(order, Math.min(MAX_COUNT, Math.max(1, Math.floor(Number(count.value)) || 1)));
  });
}

async function create(order: object, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const { ok, title, body } = await request('POST', 'orders', order);
    if (!ok) return announce(title, 'bad');
    const { displayId } = (body as { order: { displayId: string } }).order;
    announce(t().orders.created(`#${displayId}`), 'good');
  }
}

function choices(
  name: string,
  legend: string,
  values: readonly string[],
  labels: Readonly<Record<string, string>>,
): HTMLFieldSetElement {
  return el(
    'fieldset',
    {},
    el('legend', {}, legend),
    ...values.map((value, index) =>
      el(
        'label',
        { class: 'choice' },
        el('input', { type: 'radio', name, value, checked: index === 0 }),
        labels[value] ?? value,
      ),
    ),
  );
}

const chosen = (fieldset: HTMLFieldSetElement): string =>
  fieldset.querySelector<HTMLInputElement>('input:checked')?.value ?? '';
