/**
 * The menu for storefronts: the same `Menu` and `diffMerchants` as in the main entry, without the code that talks to a
 * hub. It runs in browsers and imports no module of Node.
 *
 * @module opendelivery-client/menu
 */
export {
  type AnyHubError,
  CartError,
  type CartFault,
  type CartFaultCode,
  ConfigurationError,
  type Issue,
  type IssueAgainst,
  isHubError,
} from './errors/index.js';
export type { Unavailability } from './menu/availability.js';
export type { DeliveryOptions, DeliveryQuote } from './menu/delivery.js';
export type { MenuIssueCode } from './menu/lint.js';
export { Menu, type MenuOptions } from './menu/menu.js';
export type { Price, PriceLine } from './menu/price.js';
export type {
  EntryKind,
  ResolvedCategory,
  ResolvedEntry,
  ResolvedItem,
  ResolvedKinds,
  ResolvedMenu,
  ResolvedOffer,
  ResolvedOption,
  ResolvedOptionGroup,
  ResolvedService,
} from './menu/resolved.js';
export type { CartRequest, OfferSelection, OptionSelection, PriceRequest } from './menu/selection.js';
export type { Instant } from './menu/zone.js';
export {
  type ChangedEntry,
  type CollectionChanges,
  diffMerchants,
  type MerchantChanges,
} from './merchant/diff.js';
export type { CollectionEntry, CollectionName } from './schemas/collections.js';
export type {
  AvailabilityStatus,
  Coordinates,
  Image,
  MeasurementUnit,
  ServiceType,
} from './schemas/common.js';
export type { Availability } from './schemas/merchant/availability.js';
export type { BasicInfo } from './schemas/merchant/basic-info.js';
export type { Item, ItemImage, NutritionalInfo } from './schemas/merchant/item.js';
export type { Category, ItemOffer, MenuEntry, Offer } from './schemas/merchant/menu.js';
export type { Option, OptionGroup } from './schemas/merchant/option-group.js';
export type { Service, ServiceHours } from './schemas/merchant/service.js';
export type { Merchant } from './schemas/merchant.js';
export type { Money, OfferPrice } from './schemas/money.js';
