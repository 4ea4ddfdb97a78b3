import type { NextCommand, OrderStage } from 'opendelivery-client';
import type { CommandStatus, StoredStatus } from 'opendelivery-client/sql';

/** The words that people in the store read. Translate this file, `formats.ts` and `lang` of the pages. */

export const STAGE_NAMES: Readonly<Record<OrderStage, string>> = {
  CREATED: 'Novo',
  CONFIRMED: 'Confirmado',
  PREPARING: 'Em preparo',
  READY_FOR_PICKUP: 'Pronto',
  DISPATCHED: 'Saiu para entrega',
  PICKED_UP: 'Retirado',
  DELIVERED: 'Entregue',
  CONCLUDED: 'Concluído',
  CANCELLED: 'Cancelado',
};

const EVENT_NAMES: Readonly<Record<string, string>> = {
  ...STAGE_NAMES,
  PREPARATION_REQUESTED: 'Preparo solicitado',
  PICKUP_AREA_ASSIGNED: 'Área de retirada definida',
  CANCELLATION_REQUESTED: 'Loja solicitou cancelamento',
  CANCELLATION_REQUEST_DENIED: 'Hub recusou o cancelamento',
  ORDER_CANCELLATION_REQUEST: 'Cliente solicitou cancelamento',
  CANCELLED_DENIED: 'Loja recusou o cancelamento',
};

/** The texts of the buttons. */
export const COMMAND_NAMES: Readonly<Record<NextCommand, string>> = {
  acceptCancellation: 'Aceitar cancelamento',
  denyCancellation: 'Recusar cancelamento',
  confirm: 'Confirmar',
  preparing: 'Iniciar preparo',
  readyForPickup: 'Pedido pronto',
  dispatch: 'Saiu para entrega',
  pickedUp: 'Cliente retirou',
  delivered: 'Entregue ao cliente',
  requestCancellation: 'Solicitar cancelamento',
};

/** What became of an event, in the history of an order. */
export const EVENT_STATUS: Readonly<Record<StoredStatus, string>> = {
  waiting: 'Aguardando',
  running: 'Em processamento',
  failed: 'Falhou; será tentado de novo',
  dead: 'Falhou; não será tentado de novo',
  handled: 'Processado',
};

/** What became of a command, in the history of an order. */
export const COMMAND_STATUS: Readonly<Record<CommandStatus, string>> = {
  waiting: 'Aguardando envio',
  sending: 'Enviando',
  sent: 'Aceito pelo hub',
  refused: 'Recusado pelo hub',
};

/** The hub's codes for a cancellation by the store, and texts for people. */
export const CANCELLATION_REASONS: Readonly<Record<string, string>> = {
  UNAVAILABLE_ITEM: 'Falta um item',
  INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT: 'Problema na cozinha',
  ORDER_OUTSIDE_THE_DELIVERY_AREA: 'Fora da área de entrega',
};

const ORDER_TYPES: Readonly<Record<string, string>> = {
  DELIVERY: 'Entrega',
  TAKEOUT: 'Retirada no balcão',
  INDOOR: 'Consumo no local',
};

const DELIVERERS: Readonly<Record<string, string>> = {
  MERCHANT: 'Entrega pela loja',
  MARKETPLACE: 'Entrega pela plataforma',
};

/** Who pays a discount. */
const SPONSORS: Readonly<Record<string, string>> = {
  MARKETPLACE: 'plataforma',
  MERCHANT: 'loja',
  CHAIN: 'rede',
};

const PAYMENT_METHODS: Readonly<Record<string, string>> = {
  CREDIT: 'Cartão de crédito',
  DEBIT: 'Cartão de débito',
  CREDIT_DEBIT: 'Cartão',
  MEAL_VOUCHER: 'Vale-refeição',
  FOOD_VOUCHER: 'Vale-alimentação',
  DIGITAL_WALLET: 'Carteira digital',
  PIX: 'Pix',
  CASH: 'Dinheiro',
  COUPON: 'Cupom',
  REDEEM: 'Resgate',
  PREPAID_REDEEM: 'Resgate pré-pago',
};

const FEES: Readonly<Record<string, string>> = {
  DELIVERY_FEE: 'Taxa de entrega',
  SERVICE_FEE: 'Taxa de serviço',
  TIP: 'Gorjeta',
  MIN_ORDER_FEE: 'Taxa de pedido mínimo',
};

/** Hubs send values that the standard does not list: they are shown as they are. */
const textOf = (texts: Readonly<Record<string, string>>, value: string | undefined) =>
  value === undefined ? undefined : Object.hasOwn(texts, value) ? texts[value] : value;

export const eventName = (type: string) => textOf(EVENT_NAMES, type);
export const commandName = (command: string) => textOf(COMMAND_NAMES, command);
export const orderType = (type: string | undefined) => textOf(ORDER_TYPES, type);
export const delivererName = (deliveredBy: string | undefined) => textOf(DELIVERERS, deliveredBy);
export const sponsorName = (name: string | undefined) => textOf(SPONSORS, name);
export const paymentMethod = (method: string | undefined) => textOf(PAYMENT_METHODS, method) ?? 'Pagamento';
export const feeName = (type: string | undefined, name: string | undefined) =>
  (type !== undefined && Object.hasOwn(FEES, type) ? FEES[type] : name) ?? 'Taxa';
