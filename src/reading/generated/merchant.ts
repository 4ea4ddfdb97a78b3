// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or scripts/readers/ instead.

import { defaulted, defaultOf, expected, optional, required } from '../fields.js';
import { areAll, listOf } from '../list-reader.js';
import { objectOf } from '../object-reader.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { boolean, id, number, StringReader, string } from '../value-readers.js';
import {
  BRL,
  coordinates,
  currency,
  datetime,
  defaultArray2,
  itemUnit,
  money,
  serviceServicePriority,
  serviceServiceTimingTiming,
  serviceServiceType,
} from './shared.js';

const merchantId = /* @__PURE__ */ new StringReader({ format: 'merchantId', isId: true });

const merchantStatus = /* @__PURE__ */ new StringReader({ values: ['AVAILABLE', 'UNAVAILABLE'] });

const AVAILABLE = /* @__PURE__ */ defaultOf('AVAILABLE');

const cnpj = /* @__PURE__ */ new StringReader({ format: 'cnpj' });

const basicInfoMerchantType = /* @__PURE__ */ new StringReader({ values: ['RESTAURANT'] });

const basicInfoMerchantCategories = /* @__PURE__ */ new StringReader({
  values: [
    'BURGERS',
    'PIZZA',
    'FAST_FOOD',
    'HOT_DOG',
    'JAPANESE',
    'DESSERTS',
    'AMERICAN',
    'ICE_CREAM',
    'BBQ',
    'SANDWICH',
    'MEXICAN',
    'BRAZILIAN',
    'PASTRY',
    'ARABIAN',
    'COMFORT_FOOD',
    'VEGETARIAN',
    'VEGAN',
    'BAKERY',
    'HEALTHY',
    'ITALIAN',
    'CHINESE',
    'JUICE_SMOOTHIES',
    'SEAFOOD',
    'CAFE',
    'SALADS',
    'COFFEE_TEA',
    'PASTA',
    'BREAKFAST_BRUNCH',
    'LATIN_AMERICAN',
    'CONVENIENCE',
    'PUB',
    'HAWAIIAN',
    'EUROPEAN',
    'FAMILY_MEALS',
    'FRENCH',
    'INDIAN',
    'PORTUGUESE',
    'SPANISH',
    'GOURMET',
    'KIDS_FRIENDLY',
    'SOUTH_AMERICAN',
    'SPECIALTY_FOODS',
    'ARGENTINIAN',
    'PREMIUM',
    'AFFORDABLE_MEALS',
  ],
});

const basicInfoMerchantCategoriesList: Reader = /* @__PURE__ */ listOf(basicInfoMerchantCategories);

const address: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.country;
    if (typeof x !== 'string') {
      y = expected(x, 'country', string, issues);
      if (y !== x) o.country = y;
    }
    x = o.state;
    if (typeof x !== 'string') {
      y = expected(x, 'state', string, issues);
      if (y !== x) o.state = y;
    }
    x = o.city;
    if (typeof x !== 'string') {
      y = expected(x, 'city', string, issues);
      if (y !== x) o.city = y;
    }
    x = o.district;
    if (typeof x !== 'string') {
      y = expected(x, 'district', string, issues);
      if (y !== x) o.district = y;
    }
    x = o.street;
    if (typeof x !== 'string') {
      y = expected(x, 'street', string, issues);
      if (y !== x) o.street = y;
    }
    x = o.number;
    if (typeof x !== 'string') {
      y = expected(x, 'number', string, issues);
      if (y !== x) o.number = y;
    }
    x = o.postalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'postalCode', string, issues);
      if (y !== x) o.postalCode = y;
    }
    x = o.complement;
    if (typeof x !== 'string') {
      y = expected(x, 'complement', string, issues);
      if (y !== x) o.complement = y;
    }
    x = o.reference;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'reference', string, issues);
      if (y !== x) o.reference = y;
    }
    x = o.latitude;
    if (!Number.isFinite(x)) {
      y = expected(x, 'latitude', number, issues);
      if (y !== x) o.latitude = y;
    }
    x = o.longitude;
    if (!Number.isFinite(x)) {
      y = expected(x, 'longitude', number, issues);
      if (y !== x) o.longitude = y;
    }
    return o;
  },
};

const stringList: Reader = /* @__PURE__ */ listOf(string);

const contactPhones: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.commercialNumber;
    if (typeof x !== 'string') {
      y = expected(x, 'commercialNumber', string, issues);
      if (y !== x) o.commercialNumber = y;
    }
    x = o.whatsappNumber;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'whatsappNumber', string, issues);
      if (y !== x) o.whatsappNumber = y;
    }
    return o;
  },
};

const image: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.URL;
    if (typeof x !== 'string') {
      y = required(x, 'URL', string, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.URL = y;
    }
    x = o['CRC-32'];
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'CRC-32', string, issues);
      if (y !== x) o['CRC-32'] = y;
    }
    return o;
  },
};

const basicInfoAcceptedCards = /* @__PURE__ */ new StringReader({
  values: [
    'VISA',
    'MASTERCARD',
    'DINERS',
    'AMEX',
    'HIPERCARD',
    'ELO',
    'AURA',
    'DISCOVER',
    'VR_BENEFICIOS',
    'SODEXO',
    'TICKET',
    'GOOD_CARD',
    'BANESCARD',
    'SOROCARD',
    'POLICARD',
    'VALECARD',
    'AGICARD',
    'JCB',
    'CREDSYSTEM',
    'CABAL',
    'GREEN_CARD',
    'VEROCHEQUE',
    'AVISTA',
    'OTHER',
    'PIX',
  ],
});

const basicInfoAcceptedCardsList: Reader = /* @__PURE__ */ listOf(basicInfoAcceptedCards);

const basicInfo: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.document;
    if (!cnpj.accepts(x)) {
      y = expected(x, 'document', cnpj, issues);
      if (y !== x) o.document = y;
    }
    x = o.corporateName;
    if (typeof x !== 'string') {
      y = expected(x, 'corporateName', string, issues);
      if (y !== x) o.corporateName = y;
    }
    x = o.description;
    if (typeof x !== 'string') {
      y = expected(x, 'description', string, issues);
      if (y !== x) o.description = y;
    }
    x = o.averageTicket;
    if (x !== undefined && !Number.isFinite(x)) {
      y = optional(x, 'averageTicket', number, issues);
      if (y !== x) o.averageTicket = y;
    }
    x = o.averagePreparationTime;
    if (!Number.isFinite(x)) {
      y = expected(x, 'averagePreparationTime', number, issues);
      if (y !== x) o.averagePreparationTime = y;
    }
    x = o.minOrderValue;
    y = expected(x, 'minOrderValue', money, issues);
    if (y !== x) o.minOrderValue = y;
    x = o.merchantType;
    if (x !== 'RESTAURANT') {
      y = expected(x, 'merchantType', basicInfoMerchantType, issues);
      if (y !== x) o.merchantType = y;
    }
    x = o.merchantCategories;
    if (!areAll(x, basicInfoMerchantCategories)) {
      y = expected(x, 'merchantCategories', basicInfoMerchantCategoriesList, issues);
      if (y !== x) o.merchantCategories = y;
    }
    x = o.address;
    y = expected(x, 'address', address, issues);
    if (y !== x) o.address = y;
    x = o.contactEmails;
    if (!areAll(x, string)) {
      y = expected(x, 'contactEmails', stringList, issues);
      if (y !== x) o.contactEmails = y;
    }
    x = o.contactPhones;
    y = expected(x, 'contactPhones', contactPhones, issues);
    if (y !== x) o.contactPhones = y;
    x = o.logoImage;
    y = expected(x, 'logoImage', image, issues);
    if (y !== x) o.logoImage = y;
    x = o.bannerImage;
    if (x !== undefined) {
      y = optional(x, 'bannerImage', image, issues);
      if (y !== x) o.bannerImage = y;
    }
    x = o.createdAt;
    if (!datetime.accepts(x)) {
      y = expected(x, 'createdAt', datetime, issues);
      if (y !== x) o.createdAt = y;
    }
    x = o.acceptedCards;
    if (!areAll(x, basicInfoAcceptedCards)) {
      y = expected(x, 'acceptedCards', basicInfoAcceptedCardsList, issues);
      if (y !== x) o.acceptedCards = y;
    }
    return o;
  },
};

const defaultObject = /* @__PURE__ */ defaultOf({});

const serviceServiceTimingTimingList: Reader = /* @__PURE__ */ listOf(serviceServiceTimingTiming);

const defaultArray = /* @__PURE__ */ defaultOf(['INSTANT']);

const window = /* @__PURE__ */ new StringReader({ format: 'window' });

const serviceServiceTimingSchedule: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.scheduleTimeWindow;
    if (x !== undefined && !window.accepts(x)) {
      y = optional(x, 'scheduleTimeWindow', window, issues);
      if (y !== x) o.scheduleTimeWindow = y;
    }
    x = o.scheduleStartWindow;
    if (x !== undefined && !window.accepts(x)) {
      y = optional(x, 'scheduleStartWindow', window, issues);
      if (y !== x) o.scheduleStartWindow = y;
    }
    x = o.scheduleEndWindow;
    if (x !== undefined && !window.accepts(x)) {
      y = optional(x, 'scheduleEndWindow', window, issues);
      if (y !== x) o.scheduleEndWindow = y;
    }
    return o;
  },
};

const serviceServiceTiming: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.timing;
    if (!areAll(x, serviceServiceTimingTiming)) {
      y = defaulted(x, 'timing', serviceServiceTimingTimingList, issues, defaultArray);
      if (y !== x) o.timing = y;
    }
    x = o.schedule;
    if (x !== undefined) {
      y = optional(x, 'schedule', serviceServiceTimingSchedule, issues);
      if (y !== x) o.schedule = y;
    }
    return o;
  },
};

const serviceServicePriorityList: Reader = /* @__PURE__ */ listOf(serviceServicePriority);

const serviceAreaId = /* @__PURE__ */ new StringReader({ format: 'uuid', isId: true });

const serviceAreaGeoRadiusRadius: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.size;
    if (!Number.isFinite(x)) {
      y = required(x, 'size', number, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.size = y;
    }
    x = o.price;
    y = expected(x, 'price', money, issues);
    if (y !== x) o.price = y;
    x = o.estimateDeliveryTime;
    if (!Number.isFinite(x)) {
      y = expected(x, 'estimateDeliveryTime', number, issues);
      if (y !== x) o.estimateDeliveryTime = y;
    }
    return o;
  },
};

const serviceAreaGeoRadiusRadiusList: Reader = /* @__PURE__ */ listOf(serviceAreaGeoRadiusRadius);

const serviceAreaGeoRadius: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.geoMidpointLatitude;
    if (!Number.isFinite(x)) {
      y = required(x, 'geoMidpointLatitude', number, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.geoMidpointLatitude = y;
    }
    x = o.geoMidpointLongitude;
    if (!Number.isFinite(x)) {
      y = required(x, 'geoMidpointLongitude', number, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.geoMidpointLongitude = y;
    }
    x = o.radius;
    y = defaulted(x, 'radius', serviceAreaGeoRadiusRadiusList, issues, defaultArray2);
    if (y !== x) o.radius = y;
    return o;
  },
};

const coordinatesList: Reader = /* @__PURE__ */ listOf(coordinates);

const serviceAreaPolygon: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.geoCoordinates;
    y = required(x, 'geoCoordinates', coordinatesList, issues);
    if (y === UNUSABLE) return UNUSABLE;
    if (y !== x) o.geoCoordinates = y;
    x = o.price;
    y = expected(x, 'price', money, issues);
    if (y !== x) o.price = y;
    x = o.estimateDeliveryTime;
    if (!Number.isFinite(x)) {
      y = expected(x, 'estimateDeliveryTime', number, issues);
      if (y !== x) o.estimateDeliveryTime = y;
    }
    return o;
  },
};

const serviceAreaPolygonList: Reader = /* @__PURE__ */ listOf(serviceAreaPolygon);

const serviceAreaExclusionAreaPolygon: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.geoCoordinates;
    y = required(x, 'geoCoordinates', coordinatesList, issues);
    if (y === UNUSABLE) return UNUSABLE;
    if (y !== x) o.geoCoordinates = y;
    return o;
  },
};

const serviceAreaExclusionAreaPolygonList: Reader = /* @__PURE__ */ listOf(serviceAreaExclusionAreaPolygon);

const serviceArea: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (!serviceAreaId.accepts(x)) {
      y = expected(x, 'id', serviceAreaId, issues);
      if (y !== x) o.id = y;
    }
    x = o.geoRadius;
    if (x !== undefined) {
      y = optional(x, 'geoRadius', serviceAreaGeoRadius, issues);
      if (y !== x) o.geoRadius = y;
    }
    x = o.polygon;
    if (x !== undefined) {
      y = optional(x, 'polygon', serviceAreaPolygonList, issues);
      if (y !== x) o.polygon = y;
    }
    x = o.exclusionAreaPolygon;
    if (x !== undefined) {
      y = optional(x, 'exclusionAreaPolygon', serviceAreaExclusionAreaPolygonList, issues);
      if (y !== x) o.exclusionAreaPolygon = y;
    }
    return o;
  },
};

const serviceHoursWeekHoursDayOfWeek = /* @__PURE__ */ new StringReader({
  values: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
});

const serviceHoursWeekHoursDayOfWeekList: Reader = /* @__PURE__ */ listOf(serviceHoursWeekHoursDayOfWeek);

const time = /* @__PURE__ */ new StringReader({ format: 'time' });

const timePeriod: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.startTime;
    if (!time.accepts(x)) {
      y = required(x, 'startTime', time, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.startTime = y;
    }
    x = o.endTime;
    if (!time.accepts(x)) {
      y = required(x, 'endTime', time, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.endTime = y;
    }
    return o;
  },
};

const serviceHoursWeekHours: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.dayOfWeek;
    if (!areAll(x, serviceHoursWeekHoursDayOfWeek)) {
      y = required(x, 'dayOfWeek', serviceHoursWeekHoursDayOfWeekList, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.dayOfWeek = y;
    }
    x = o.timePeriods;
    y = required(x, 'timePeriods', timePeriod, issues);
    if (y === UNUSABLE) return UNUSABLE;
    if (y !== x) o.timePeriods = y;
    return o;
  },
};

const serviceHoursWeekHoursList: Reader = /* @__PURE__ */ listOf(serviceHoursWeekHours, 'timePeriods');

const date = /* @__PURE__ */ new StringReader({ format: 'date' });

const serviceHoursHolidayHours: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.date;
    if (!date.accepts(x)) {
      y = required(x, 'date', date, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.date = y;
    }
    x = o.timePeriods;
    if (x !== undefined) {
      y = optional(x, 'timePeriods', timePeriod, issues);
      if (y !== x) o.timePeriods = y;
    }
    return o;
  },
};

const serviceHoursHolidayHoursList: Reader = /* @__PURE__ */ listOf(serviceHoursHolidayHours, 'timePeriods');

const serviceHours: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (!serviceAreaId.accepts(x)) {
      y = expected(x, 'id', serviceAreaId, issues);
      if (y !== x) o.id = y;
    }
    x = o.weekHours;
    y = defaulted(x, 'weekHours', serviceHoursWeekHoursList, issues, defaultArray2);
    if (y !== x) o.weekHours = y;
    x = o.holidayHours;
    y = defaulted(x, 'holidayHours', serviceHoursHolidayHoursList, issues, defaultArray2);
    if (y !== x) o.holidayHours = y;
    return o;
  },
};

const service: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.serviceType;
    if (x !== 'DELIVERY' && x !== 'TAKEOUT' && x !== 'INDOOR') {
      y = expected(x, 'serviceType', serviceServiceType, issues);
      if (y !== x) o.serviceType = y;
    }
    x = o.serviceTiming;
    if (x !== undefined) {
      y = optional(x, 'serviceTiming', serviceServiceTiming, issues);
      if (y !== x) o.serviceTiming = y;
    }
    x = o.servicePriority;
    if (x !== undefined && !areAll(x, serviceServicePriority)) {
      y = optional(x, 'servicePriority', serviceServicePriorityList, issues);
      if (y !== x) o.servicePriority = y;
    }
    x = o.menuId;
    if (typeof x !== 'string') {
      y = expected(x, 'menuId', id, issues);
      if (y !== x) o.menuId = y;
    }
    x = o.targetAppId;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'targetAppId', id, issues);
      if (y !== x) o.targetAppId = y;
    }
    x = o.serviceArea;
    if (x !== undefined) {
      y = optional(x, 'serviceArea', serviceArea, issues);
      if (y !== x) o.serviceArea = y;
    }
    x = o.serviceHours;
    y = expected(x, 'serviceHours', serviceHours, issues);
    if (y !== x) o.serviceHours = y;
    return o;
  },
};

const serviceList: Reader = /* @__PURE__ */ listOf(service);

const idList: Reader = /* @__PURE__ */ listOf(id);

const menu: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.description;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'description', string, issues);
      if (y !== x) o.description = y;
    }
    x = o.externalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'externalCode', id, issues);
      if (y !== x) o.externalCode = y;
    }
    x = o.disclaimer;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'disclaimer', string, issues);
      if (y !== x) o.disclaimer = y;
    }
    x = o.disclaimerURL;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'disclaimerURL', string, issues);
      if (y !== x) o.disclaimerURL = y;
    }
    x = o.categoryId;
    if (!areAll(x, id)) {
      y = expected(x, 'categoryId', idList, issues);
      if (y !== x) o.categoryId = y;
    }
    return o;
  },
};

const menuList: Reader = /* @__PURE__ */ listOf(menu);

const category: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.index;
    if (!Number.isFinite(x)) {
      y = expected(x, 'index', number, issues);
      if (y !== x) o.index = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.description;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'description', string, issues);
      if (y !== x) o.description = y;
    }
    x = o.image;
    if (x !== undefined) {
      y = optional(x, 'image', image, issues);
      if (y !== x) o.image = y;
    }
    x = o.externalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'externalCode', id, issues);
      if (y !== x) o.externalCode = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.availabilityId;
    if (x !== undefined && !areAll(x, id)) {
      y = optional(x, 'availabilityId', idList, issues);
      if (y !== x) o.availabilityId = y;
    }
    x = o.itemOfferId;
    if (x !== undefined && !areAll(x, id)) {
      y = optional(x, 'itemOfferId', idList, issues);
      if (y !== x) o.itemOfferId = y;
    }
    return o;
  },
};

const categoryList: Reader = /* @__PURE__ */ listOf(category);

const offerPrice: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues, 'value');
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.value;
    if (!Number.isFinite(x)) {
      y = required(x, 'value', number, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.value = y;
    }
    x = o.originalValue;
    if (!Number.isFinite(x)) {
      y = expected(x, 'originalValue', number, issues);
      if (y !== x) o.originalValue = y;
    }
    x = o.currency;
    if (x !== 'BRL' && !currency.accepts(x)) {
      y = defaulted(x, 'currency', currency, issues, BRL);
      if (y !== x) o.currency = y;
    }
    return o;
  },
};

const itemOffer: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.itemId;
    if (typeof x !== 'string') {
      y = required(x, 'itemId', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.itemId = y;
    }
    x = o.index;
    if (!Number.isFinite(x)) {
      y = expected(x, 'index', number, issues);
      if (y !== x) o.index = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.price;
    y = required(x, 'price', offerPrice, issues);
    if (y === UNUSABLE) return UNUSABLE;
    if (y !== x) o.price = y;
    x = o.availabilityId;
    if (x !== undefined && !areAll(x, id)) {
      y = optional(x, 'availabilityId', idList, issues);
      if (y !== x) o.availabilityId = y;
    }
    x = o.optionGroupsId;
    if (x !== undefined && !areAll(x, id)) {
      y = optional(x, 'optionGroupsId', idList, issues);
      if (y !== x) o.optionGroupsId = y;
    }
    return o;
  },
};

const itemOfferList: Reader = /* @__PURE__ */ listOf(itemOffer);

const itemImagesType = /* @__PURE__ */ new StringReader({ values: ['MAIN', 'THUMB'] });

const itemImages: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.URL;
    if (typeof x !== 'string') {
      y = required(x, 'URL', string, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.URL = y;
    }
    x = o.type;
    if (x !== 'MAIN' && x !== 'THUMB') {
      y = expected(x, 'type', itemImagesType, issues);
      if (y !== x) o.type = y;
    }
    x = o['CRC-32'];
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'CRC-32', string, issues);
      if (y !== x) o['CRC-32'] = y;
    }
    return o;
  },
};

const itemImagesList: Reader = /* @__PURE__ */ listOf(itemImages);

const itemNutritionalInfoAllergen = /* @__PURE__ */ new StringReader({
  values: [
    'ALMONDS',
    'ALPHA_ISOMETHYL_IONONE',
    'ALCOHOL',
    'AMYL_CINNAMAL',
    'ANISE_ALCOHOL',
    'BARLEY',
    'BENZYL_ALCOHOL',
    'BENZYL_BENZOATE',
    'BENZYL_CINNAMATE',
    'BENZYL_SALICYLATE',
    'BRAZIL_NUTS',
    'BUTYLPHENYL_METHYLPROPIONATE',
    'CARROTS',
    'CASHEW_NUTS',
    'CELERY',
    'CEREALS_CONTAINING_GLUTEN',
    'CINNAMAL',
    'CINNAMYL_ALCOHOL',
    'CITRAL',
    'CITRONELLOL',
    'COCOA',
    'CORIANDER',
    'CORN',
    'COUMARIN',
    'CRUSTACEANS',
    'EGGS',
    'EUGENOL',
    'EVERNIA_FURFURACEA',
    'EVERNIA_PRUNASTRI',
    'FARNESOL',
    'FISH',
    'GERANIOL',
    'GLUTEN',
    'HAZELNUTS',
    'HEXYL_CINNAMAL',
    'HYDROXYCITRONELLAL',
    'KAMUT',
    'LACTOSE',
    'LUPINE',
    'MACADAMIA_NUTS',
    'METHYL_2_OCTYNOATE',
    'MILK',
    'MOLLUSCS',
    'MUSTARD',
    'NO_DECLARED_ALLERGENS',
    'OAT',
    'PEANUTS',
    'PEAS',
    'PECAN_NUTS',
    'PISTACHIOS',
    'POD_FRUITS',
    'QUEENSLAND_NUTS',
    'RYE',
    'SESAME_SEEDS',
    'SOYBEANS',
    'SPELT',
    'SULPHUR_DIOXIDE',
    'TREE_NUTS',
    'TREE_NUT_TRACES',
    'WALNUTS',
    'WHEAT',
  ],
});

const itemNutritionalInfoAllergenList: Reader = /* @__PURE__ */ listOf(itemNutritionalInfoAllergen);

const itemNutritionalInfoSuitableDiet = /* @__PURE__ */ new StringReader({
  values: [
    'DIABETIC',
    'GLUTEN_FREE',
    'HALAL',
    'HINDU',
    'KOSHER',
    'LOW_CALORIE',
    'LOW_FAT',
    'LOW_LACTOSE',
    'LOW_SALT',
    'VEGAN',
    'VEGETARIAN',
  ],
});

const itemNutritionalInfoSuitableDietList: Reader = /* @__PURE__ */ listOf(itemNutritionalInfoSuitableDiet);

const itemNutritionalInfo: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.description;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'description', string, issues);
      if (y !== x) o.description = y;
    }
    x = o.calories;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'calories', string, issues);
      if (y !== x) o.calories = y;
    }
    x = o.allergen;
    if (x !== undefined && !areAll(x, itemNutritionalInfoAllergen)) {
      y = optional(x, 'allergen', itemNutritionalInfoAllergenList, issues);
      if (y !== x) o.allergen = y;
    }
    x = o.additives;
    if (x !== undefined && !areAll(x, string)) {
      y = optional(x, 'additives', stringList, issues);
      if (y !== x) o.additives = y;
    }
    x = o.suitableDiet;
    if (x !== undefined && !areAll(x, itemNutritionalInfoSuitableDiet)) {
      y = optional(x, 'suitableDiet', itemNutritionalInfoSuitableDietList, issues);
      if (y !== x) o.suitableDiet = y;
    }
    x = o.isAlcoholic;
    if (x !== undefined && typeof x !== 'boolean') {
      y = optional(x, 'isAlcoholic', boolean, issues);
      if (y !== x) o.isAlcoholic = y;
    }
    return o;
  },
};

const item: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.description;
    if (typeof x !== 'string') {
      y = expected(x, 'description', string, issues);
      if (y !== x) o.description = y;
    }
    x = o.externalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'externalCode', id, issues);
      if (y !== x) o.externalCode = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.image;
    if (x !== undefined) {
      y = optional(x, 'image', image, issues);
      if (y !== x) o.image = y;
    }
    x = o.images;
    if (x !== undefined) {
      y = optional(x, 'images', itemImagesList, issues);
      if (y !== x) o.images = y;
    }
    x = o.nutritionalInfo;
    if (x !== undefined) {
      y = optional(x, 'nutritionalInfo', itemNutritionalInfo, issues);
      if (y !== x) o.nutritionalInfo = y;
    }
    x = o.serving;
    if (x !== undefined && !Number.isFinite(x)) {
      y = optional(x, 'serving', number, issues);
      if (y !== x) o.serving = y;
    }
    x = o.unit;
    if (x !== 'UN' && x !== 'KG' && x !== 'L' && x !== 'OZ' && x !== 'LB' && x !== 'GAL') {
      y = expected(x, 'unit', itemUnit, issues);
      if (y !== x) o.unit = y;
    }
    x = o.ean;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'ean', id, issues);
      if (y !== x) o.ean = y;
    }
    return o;
  },
};

const itemList: Reader = /* @__PURE__ */ listOf(item);

const optionGroupPriceMethod = /* @__PURE__ */ new StringReader({ values: ['SUM', 'MAX', 'AVG'] });

const SUM = /* @__PURE__ */ defaultOf('SUM');

const option: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.itemId;
    if (typeof x !== 'string') {
      y = expected(x, 'itemId', id, issues);
      if (y !== x) o.itemId = y;
    }
    x = o.index;
    if (!Number.isFinite(x)) {
      y = expected(x, 'index', number, issues);
      if (y !== x) o.index = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.price;
    y = expected(x, 'price', offerPrice, issues);
    if (y !== x) o.price = y;
    x = o.maxPermitted;
    if (!Number.isFinite(x)) {
      y = expected(x, 'maxPermitted', number, issues);
      if (y !== x) o.maxPermitted = y;
    }
    return o;
  },
};

const optionList: Reader = /* @__PURE__ */ listOf(option);

const optionGroup: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.index;
    if (!Number.isFinite(x)) {
      y = expected(x, 'index', number, issues);
      if (y !== x) o.index = y;
    }
    x = o.name;
    if (typeof x !== 'string') {
      y = expected(x, 'name', string, issues);
      if (y !== x) o.name = y;
    }
    x = o.description;
    if (x !== undefined && typeof x !== 'string') {
      y = optional(x, 'description', string, issues);
      if (y !== x) o.description = y;
    }
    x = o.externalCode;
    if (typeof x !== 'string') {
      y = expected(x, 'externalCode', id, issues);
      if (y !== x) o.externalCode = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.minPermitted;
    if (!Number.isFinite(x)) {
      y = expected(x, 'minPermitted', number, issues);
      if (y !== x) o.minPermitted = y;
    }
    x = o.maxPermitted;
    if (!Number.isFinite(x)) {
      y = expected(x, 'maxPermitted', number, issues);
      if (y !== x) o.maxPermitted = y;
    }
    x = o.priceMethod;
    if (x !== 'SUM' && x !== 'MAX' && x !== 'AVG') {
      y = defaulted(x, 'priceMethod', optionGroupPriceMethod, issues, SUM);
      if (y !== x) o.priceMethod = y;
    }
    x = o.options;
    if (x !== undefined) {
      y = optional(x, 'options', optionList, issues);
      if (y !== x) o.options = y;
    }
    return o;
  },
};

const optionGroupList: Reader = /* @__PURE__ */ listOf(optionGroup);

const availability: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.id;
    if (typeof x !== 'string') {
      y = required(x, 'id', id, issues);
      if (y === UNUSABLE) return UNUSABLE;
      if (y !== x) o.id = y;
    }
    x = o.startDate;
    if (x !== undefined && !date.accepts(x)) {
      y = optional(x, 'startDate', date, issues);
      if (y !== x) o.startDate = y;
    }
    x = o.endDate;
    if (x !== undefined && !date.accepts(x)) {
      y = optional(x, 'endDate', date, issues);
      if (y !== x) o.endDate = y;
    }
    x = o.hours;
    y = defaulted(x, 'hours', serviceHoursWeekHoursList, issues, defaultArray2);
    if (y !== x) o.hours = y;
    return o;
  },
};

const availabilityList: Reader = /* @__PURE__ */ listOf(availability);

export const merchant: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    let y: unknown;
    x = o.lastUpdate;
    if (!datetime.accepts(x)) {
      y = expected(x, 'lastUpdate', datetime, issues);
      if (y !== x) o.lastUpdate = y;
    }
    x = o.TTL;
    if (!Number.isFinite(x)) {
      y = expected(x, 'TTL', number, issues);
      if (y !== x) o.TTL = y;
    }
    x = o.id;
    if (!merchantId.accepts(x)) {
      y = expected(x, 'id', merchantId, issues);
      if (y !== x) o.id = y;
    }
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE') {
      y = defaulted(x, 'status', merchantStatus, issues, AVAILABLE);
      if (y !== x) o.status = y;
    }
    x = o.basicInfo;
    y = defaulted(x, 'basicInfo', basicInfo, issues, defaultObject);
    if (y !== x) o.basicInfo = y;
    x = o.services;
    y = defaulted(x, 'services', serviceList, issues, defaultArray2);
    if (y !== x) o.services = y;
    x = o.menus;
    y = defaulted(x, 'menus', menuList, issues, defaultArray2);
    if (y !== x) o.menus = y;
    x = o.categories;
    y = defaulted(x, 'categories', categoryList, issues, defaultArray2);
    if (y !== x) o.categories = y;
    x = o.itemOffers;
    y = defaulted(x, 'itemOffers', itemOfferList, issues, defaultArray2);
    if (y !== x) o.itemOffers = y;
    x = o.items;
    y = defaulted(x, 'items', itemList, issues, defaultArray2);
    if (y !== x) o.items = y;
    x = o.optionGroups;
    y = defaulted(x, 'optionGroups', optionGroupList, issues, defaultArray2);
    if (y !== x) o.optionGroups = y;
    x = o.availabilities;
    y = defaulted(x, 'availabilities', availabilityList, issues, defaultArray2);
    if (y !== x) o.availabilities = y;
    return o;
  },
};
