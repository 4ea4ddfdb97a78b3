/** The types of the documents that a hub sends, with names as on the wire. */
export type {
  AvailabilityStatus,
  CardBrand,
  Coordinates,
  Image,
  MeasurementUnit,
  OrderPriority,
  OrderTiming,
  ServiceType,
} from './common.js';
export type {
  AnyOrderEvent,
  CancellationMetadata,
  ConfirmationMetadata,
  EventMetadata,
  EventMetadataOf,
  OrderEvent,
  PickupAreaMetadata,
} from './event.js';
export type { DayOfWeek, TimePeriod, WeekHours } from './hours.js';
export type { Availability } from './merchant/availability.js';
export type {
  Address,
  BasicInfo,
  ContactPhones,
} from './merchant/basic-info.js';
export type {
  Diet,
  Item,
  ItemImage,
  NutritionalInfo,
} from './merchant/item.js';
export type {
  Category,
  ItemOffer,
  MenuEntry,
  Offer,
} from './merchant/menu.js';
export type { MerchantCategory } from './merchant/merchant-category.js';
export type {
  Option,
  OptionGroup,
} from './merchant/option-group.js';
export type {
  HolidayHours,
  ScheduleWindows,
  Service,
  ServiceHours,
  ServiceTiming,
} from './merchant/service.js';
export type {
  DeliveryPolygon,
  DeliveryRadius,
  ExclusionPolygon,
  GeoRadius,
  ServiceArea,
} from './merchant/service-area.js';
export type { Merchant } from './merchant.js';
export type { Money, OfferPrice } from './money.js';
export type { CustomerPhone, OrderCustomer } from './order/customer.js';
export type {
  BillingAddress,
  DeliveryAddress,
  OrderDelivery,
  OrderIndoor,
  OrderSchedule,
  OrderTakeout,
} from './order/fulfillment.js';
export type { OrderItem, OrderItemIndoor, OrderItemOption } from './order/item.js';
export type {
  OrderPayment,
  OrderPayments,
  OrderTaxInvoice,
  PaymentMethod,
  PaymentTransaction,
} from './order/payment.js';
export type { DiscountSponsorship, OrderDiscount, OrderFee, OrderTotal } from './order/total.js';
export type { Order, OrderMerchant } from './order.js';
export type { TokenResponse } from './token.js';
export type { DeepReadonly } from './wire.js';
