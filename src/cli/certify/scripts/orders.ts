import type { OrderData } from '../script.js';

/** Orders that several scripts use. The amounts add up, and no amount is part of another one. */

const reais = (value: number) => ({ value, currency: 'BRL' });

/** Two pizzas with an option and a note, a discount that the marketplace pays, a part paid before, the rest in cash. */
export const CASH: OrderData = {
  type: 'DELIVERY',
  deliveredBy: 'MERCHANT',
  include: ['options', 'discounts', 'change'],
  document: {
    sendPreparing: true,
    sendDelivered: true,
    extraInfo: 'Tocar o interfone 2 vezes',
    items: [
      {
        id: '00000008-0000-4000-8000-000000000001',
        index: 0,
        name: 'Margherita',
        externalCode: 'P-1',
        unit: 'UN',
        quantity: 2,
        specialInstructions: 'Sem cebola',
        unitPrice: reais(27.45),
        optionsPrice: reais(4.15),
        totalPrice: reais(63.2),
        options: [
          {
            id: '00000008-0000-4000-8000-000000000004',
            index: 0,
            name: 'Borda recheada',
            externalCode: 'X-1',
            unit: 'UN',
            quantity: 1,
            unitPrice: reais(4.15),
            totalPrice: reais(4.15),
          },
        ],
      },
    ],
    otherFees: [{ name: 'Entrega', type: 'DELIVERY_FEE', receivedBy: 'MERCHANT', price: reais(7.9) }],
    discounts: [
      {
        amount: reais(6.35),
        target: 'CART',
        sponsorshipValues: [{ name: 'MARKETPLACE', amount: reais(6.35), discountCode: 'BEMVINDO' }],
      },
    ],
    total: {
      itemsPrice: reais(63.2),
      otherFees: reais(7.9),
      discount: reais(6.35),
      orderAmount: reais(64.75),
    },
    payments: {
      prepaid: 24.7,
      pending: 40.05,
      methods: [
        { value: 24.7, currency: 'BRL', type: 'PREPAID', method: 'PIX' },
        { value: 40.05, currency: 'BRL', type: 'PENDING', method: 'CASH', changeFor: 50 },
      ],
    },
    delivery: { deliveryAddress: { complement: 'Apto 34', reference: 'Perto da padaria' } },
    customer: { name: 'Ana Souza', documentNumber: '12345678909' },
  },
};

/** Paid with a card at the door. */
export const CARD: OrderData = {
  type: 'DELIVERY',
  deliveredBy: 'MERCHANT',
  document: {
    sendDelivered: true,
    payments: {
      prepaid: 0,
      pending: 62.8,
      methods: [{ value: 62.8, currency: 'BRL', type: 'PENDING', method: 'CREDIT', brand: 'VISA' }],
    },
  },
};

/** Of the orders that a script does not describe, only the events matter. */
export const PLAIN: OrderData = {
  type: 'DELIVERY',
  deliveredBy: 'MERCHANT',
  document: { sendDelivered: true },
};

/** Delivered by a courier of the marketplace, who shows a code. */
export const BY_HOST: OrderData = {
  type: 'DELIVERY',
  deliveredBy: 'MARKETPLACE',
  document: { delivery: { pickupCode: '4719' } },
};

export const TAKEOUT: OrderData = { type: 'TAKEOUT', document: { sendPickedUp: true } };

export const INDOOR: OrderData = { type: 'INDOOR', document: { indoor: { place: 'Mesa 17' } } };

export const SCHEDULED: OrderData = {
  type: 'DELIVERY',
  orderTiming: 'SCHEDULED',
  deliveredBy: 'MERCHANT',
  document: {
    sendDelivered: true,
    schedule: {
      scheduledDateTimeStart: { day: 2, at: '15:47' },
      scheduledDateTimeEnd: { day: 2, at: '16:17' },
    },
  },
};
