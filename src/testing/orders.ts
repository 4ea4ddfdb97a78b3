import type { Json } from './fixtures.js';
import { fixtureId } from './ids.js';

/** A delivery order of the fixture store, valid by v1.7.0 of the standard. */
export function orderFixture(orderId: string, displayId: string, createdAt: string): Json {
  const reais = (value: number) => ({ value, currency: 'BRL' });
  return {
    id: orderId,
    type: 'DELIVERY',
    displayId,
    createdAt,
    orderTiming: 'INSTANT',
    preparationStartDateTime: createdAt,
    merchant: { id: `12345678000195-${fixtureId('merchant', 1)}`, name: 'Forno da Vila' },
    items: [
      {
        id: fixtureId('item', 1),
        index: 0,
        name: 'Margherita',
        externalCode: 'P-1',
        unit: 'UN',
        quantity: 1,
        unitPrice: reais(54.9),
        totalPrice: reais(54.9),
      },
    ],
    otherFees: [{ name: 'Delivery', type: 'DELIVERY_FEE', receivedBy: 'MERCHANT', price: reais(7.9) }],
    total: { itemsPrice: reais(54.9), otherFees: reais(7.9), discount: reais(0), orderAmount: reais(62.8) },
    payments: {
      prepaid: 62.8,
      pending: 0,
      methods: [{ value: 62.8, currency: 'BRL', type: 'PREPAID', method: 'PIX' }],
    },
    customer: {
      id: fixtureId('customer', 1),
      name: 'Ana',
      phone: { number: '11991234567' },
      ordersCountOnMerchant: 3,
    },
    delivery: {
      deliveredBy: 'MERCHANT',
      deliveryAddress: {
        country: 'BR',
        state: 'SP',
        city: 'São Paulo',
        district: 'Pinheiros',
        street: 'Rua dos Pinheiros',
        number: '500',
        formattedAddress: 'Rua dos Pinheiros, 500',
        postalCode: '05422-000',
        coordinates: { latitude: -23.5663, longitude: -46.6822 },
      },
      estimatedDeliveryDateTime: createdAt,
    },
  };
}
