import { html } from 'hono/html';
import type { DiscountSponsorship, Order } from 'opendelivery-client';
import { dayAndTime, money } from './formats.js';
import { delivererName, feeName, orderType, paymentMethod, sponsorName } from './texts.js';

/** The result of `html`, which escapes every value: orders contain text from strangers. */
export type Html = ReturnType<typeof html>;

/** The parts of an order that the page and the ticket both show. */

export const joined = (separator: string, ...parts: readonly (string | undefined)[]) =>
  parts.filter(Boolean).join(separator);

/** Where the pages of an order are. */
export const pathOf = (orderId: string) => `/orders/${encodeURIComponent(orderId)}`;

/** The type of the order, who delivers it, and the table or the customer's card. */
export const kindOf = ({ type, delivery, indoor, orderPriority }: Order) =>
  joined(
    ' · ',
    delivererName(type === 'DELIVERY' ? delivery?.deliveredBy : undefined) ?? orderType(type),
    indoor?.place && (/^mesa\b/i.test(indoor.place) ? indoor.place : `Mesa ${indoor.place}`),
    indoor?.tab && `Comanda ${indoor.tab}`,
    orderPriority && orderPriority !== 'PRIORITY5' ? `Prioridade ${orderPriority.slice(-1)}` : '',
  );

/** The customer's name and a number to call. */
export function customerLine({ customer }: Order): Html {
  const { number, extension } = customer?.phone ?? {};
  const digits = number?.replaceAll(/[^\d+]/g, '');
  const phone = digits
    ? html`<a href="tel:${digits}">${number}</a>${extension && ` ramal ${extension}`}`
    : (number ?? '');
  return html`<p>${customer?.name}${customer?.name && phone ? ' · ' : ''}${phone}</p>`;
}

export function addressLine({ delivery }: Order): Html {
  const { formattedAddress, street, number, complement, reference, district } =
    delivery?.deliveryAddress ?? {};
  const place = formattedAddress ?? joined(', ', joined(' ', street, number), district);
  return html`<p>${joined(', ', place, complement, reference && `ref.: ${reference}`)}</p>`;
}

export const scheduleLine = ({ schedule }: Order) =>
  schedule && html`<p>Agendado para <b>${dayAndTime(schedule.scheduledDateTimeStart)}</b></p>`;

export const takeoutLine = ({ takeout }: Order) =>
  takeout?.takeoutDateTime && html`<p>O cliente retira às <b>${dayAndTime(takeout.takeoutDateTime)}</b></p>`;

export function itemLines({ items }: Order): Html {
  return html`<ul class="items">
    ${items.map(
      ({ quantity, name, options = [], specialInstructions, totalPrice }) => html`<li>
        <b>${quantity ?? '?'} × ${name ?? 'item sem nome'}</b> <span class="price">${money(totalPrice)}</span>
        ${options.map((option) => html`<p>+ ${option.quantity ?? ''} ${option.name}</p>`)}
        ${specialInstructions && html`<p><mark>${specialInstructions}</mark></p>`}
      </li>`,
    )}
  </ul>`;
}

/** What the order costs: items, fees, discounts, total. */
export function sums({ total, otherFees = [], discounts = [] }: Order): Html {
  const rows = [
    ...otherFees.map(({ type, name, price }) => [feeName(type, name), money(price)] as const),
    ...discounts.map(
      ({ amount, sponsorshipValues }) =>
        [joined(', ', 'Desconto', ...sponsors(sponsorshipValues)), amount && `−${money(amount)}`] as const,
    ),
  ];
  return html`<dl class="sums">
    ${rows.length > 0 && row('Itens', money(total?.itemsPrice))} ${rows.map(([name, amount]) => row(name, amount))}
    ${row('Total', money(total?.orderAmount), 'total')}
  </dl>`;
}

/** Who pays a discount, and how much of it. */
const sponsors = (values: readonly DiscountSponsorship[] = []) =>
  values.map(({ name, amount }) => `${sponsorName(name) ?? ''} ${money(amount)}`.trim());

const row = (name: string, amount: string | undefined, kind = '') =>
  amount ? html`<div class="${kind}"><dt>${name}</dt><dd>${amount}</dd></div>` : '';

/** How the order is paid: what is paid already, what to collect, and the change to take along. */
export function payments({ payments: { methods = [], pending = 0 } = { methods: [] } }: Order): Html {
  const inReais = (value: number) => money({ value, currency: 'BRL' });
  const lines = methods.map(({ type, method, brand, value = 0, currency = 'BRL', changeFor = 0 }) => {
    const amount = joined(' ', paymentMethod(method), brand, money({ value, currency }));
    if (type === 'PREPAID') return html`<li>Pago: ${amount}</li>`;
    const change =
      changeFor > value ? `, troco para ${inReais(changeFor)} (levar ${inReais(changeFor - value)})` : '';
    return html`<li><b>Cobrar: ${amount}</b>${change}</li>`;
  });
  if (lines.length === 0 && pending > 0) lines.push(html`<li><b>Cobrar: ${inReais(pending)}</b></li>`);
  return html`<ul class="payments">${lines}</ul>`;
}
