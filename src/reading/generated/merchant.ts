// Generated from the schemas in src/schemas/ by `npm run generate`. Change the schemas or .ci/readers/ instead.

import {
  decisive,
  decisiveBySpec,
  defaulted,
  defaultOf,
  expected,
  expectedBySpec,
  optional,
  required,
} from '../fields.js';
import { areAll, areStrings, listOf } from '../list-reader.js';
import { objectReader } from '../object-reader.js';
import { AN_OBJECT, type Reader, UNUSABLE } from '../reader.js';
import { boolean, id, isObject, number, objectOf, StringReader, string } from '../value-readers.js';
import {
  BRL,
  coordinates,
  currency,
  datetime,
  defaultArray,
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

const address: Reader = /* @__PURE__ */ objectReader({
  country: [expected, string],
  state: [expected, string],
  city: [expected, string],
  district: [expected, string, ['neighborhood']],
  street: [expected, string, ['streetName']],
  number: [expected, string, ['streetNumber']],
  postalCode: [expected, string],
  complement: [expected, string],
  reference: [optional, string],
  latitude: [expected, number],
  longitude: [expected, number],
});

const stringList: Reader = /* @__PURE__ */ listOf(string);

const contactPhones: Reader = /* @__PURE__ */ objectReader({
  commercialNumber: [expected, string],
  whatsappNumber: [optional, string],
});

const image: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.URL;
    if (typeof x !== 'string' && !required(o, x, 'URL', string, issues)) return UNUSABLE;
    x = o['CRC-32'];
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'CRC-32', string, issues);
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

const basicInfo: Reader = /* @__PURE__ */ objectReader({
  name: [expected, string],
  document: [expected, cnpj],
  corporateName: [expected, string],
  description: [expected, string],
  averageTicket: [optional, number],
  averagePreparationTime: [expected, number],
  minOrderValue: [expected, money],
  merchantType: [expected, basicInfoMerchantType],
  merchantCategories: [expected, basicInfoMerchantCategoriesList],
  address: [expected, address],
  contactEmails: [expected, stringList],
  contactPhones: [expected, contactPhones],
  logoImage: [expected, image],
  bannerImage: [optional, image],
  createdAt: [expectedBySpec, datetime],
  acceptedCards: [expectedBySpec, basicInfoAcceptedCardsList],
});

const defaultObject = /* @__PURE__ */ defaultOf({});

const serviceServiceTimingTimingList: Reader = /* @__PURE__ */ listOf(serviceServiceTimingTiming);

const defaultArrayBySpec = /* @__PURE__ */ defaultOf(['INSTANT'], 'spec');

const window = /* @__PURE__ */ new StringReader({ format: 'window' });

const serviceServiceTimingSchedule: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.scheduleTimeWindow;
    if (!window.accepts(x)) expected(o, x, 'scheduleTimeWindow', window, issues);
    x = o.scheduleStartWindow;
    if (!window.accepts(x)) expected(o, x, 'scheduleStartWindow', window, issues);
    x = o.scheduleEndWindow;
    if (!window.accepts(x)) expected(o, x, 'scheduleEndWindow', window, issues);
    return o;
  },
};

const isServiceServiceTimingSchedule = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.scheduleTimeWindow;
  if (!window.accepts(x)) return false;
  x = o.scheduleStartWindow;
  if (!window.accepts(x)) return false;
  x = o.scheduleEndWindow;
  if (!window.accepts(x)) return false;
  return true;
};

const serviceServiceTiming: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.timing;
    if (!areAll(x, serviceServiceTimingTiming))
      defaulted(o, x, 'timing', serviceServiceTimingTimingList, issues, defaultArrayBySpec);
    x = o.schedule;
    if (x !== undefined && !isServiceServiceTimingSchedule(x))
      optional(o, x, 'schedule', serviceServiceTimingSchedule, issues);
    return o;
  },
};

const isServiceServiceTiming = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.timing;
  if (!areAll(x, serviceServiceTimingTiming)) return false;
  x = o.schedule;
  if (x !== undefined && !isServiceServiceTimingSchedule(x)) return false;
  return true;
};

const serviceServicePriorityList: Reader = /* @__PURE__ */ listOf(serviceServicePriority);

const serviceAreaId = /* @__PURE__ */ new StringReader({ format: 'uuid', isId: true });

const isMoney = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.value;
  if (!Number.isFinite(x)) return false;
  x = o.currency;
  if (x !== 'BRL' && !currency.accepts(x)) return false;
  return true;
};

const serviceAreaGeoRadiusRadius: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.size;
    if (!Number.isFinite(x) && !required(o, x, 'size', number, issues)) return UNUSABLE;
    x = o.price;
    if (!isMoney(x)) expectedBySpec(o, x, 'price', money, issues);
    x = o.estimateDeliveryTime;
    if (!Number.isFinite(x)) expectedBySpec(o, x, 'estimateDeliveryTime', number, issues);
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
    x = o.geoMidpointLatitude;
    if (!Number.isFinite(x) && !required(o, x, 'geoMidpointLatitude', number, issues)) return UNUSABLE;
    x = o.geoMidpointLongitude;
    if (!Number.isFinite(x) && !required(o, x, 'geoMidpointLongitude', number, issues)) return UNUSABLE;
    x = o.radius;
    defaulted(o, x, 'radius', serviceAreaGeoRadiusRadiusList, issues, defaultArray);
    return o;
  },
};

const coordinatesList: Reader = /* @__PURE__ */ listOf(coordinates, { isWhole: true });

const serviceAreaPolygon: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.geoCoordinates;
    if (!required(o, x, 'geoCoordinates', coordinatesList, issues)) return UNUSABLE;
    x = o.price;
    if (x !== undefined && !isMoney(x)) optional(o, x, 'price', money, issues);
    x = o.estimateDeliveryTime;
    if (x !== undefined && !Number.isFinite(x)) optional(o, x, 'estimateDeliveryTime', number, issues);
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
    x = o.geoCoordinates;
    if (!required(o, x, 'geoCoordinates', coordinatesList, issues)) return UNUSABLE;
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
    x = o.id;
    if (!serviceAreaId.accepts(x)) expected(o, x, 'id', serviceAreaId, issues);
    x = o.geoRadius;
    if (x !== undefined) optional(o, x, 'geoRadius', serviceAreaGeoRadius, issues);
    x = o.polygon;
    if (x !== undefined) optional(o, x, 'polygon', serviceAreaPolygonList, issues);
    x = o.exclusionAreaPolygon;
    if (x !== undefined) optional(o, x, 'exclusionAreaPolygon', serviceAreaExclusionAreaPolygonList, issues);
    return o;
  },
};

const serviceHoursWeekHoursDayOfWeek = /* @__PURE__ */ new StringReader({
  values: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
});

const serviceHoursWeekHoursDayOfWeekList: Reader = /* @__PURE__ */ listOf(serviceHoursWeekHoursDayOfWeek);

const defaultArray2 = /* @__PURE__ */ defaultOf(['UNKNOWN']);

const time = /* @__PURE__ */ new StringReader({ format: 'time' });

const timePeriod: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.startTime;
    if (!time.accepts(x) && !required(o, x, 'startTime', time, issues)) return UNUSABLE;
    x = o.endTime;
    if (!time.accepts(x) && !required(o, x, 'endTime', time, issues)) return UNUSABLE;
    return o;
  },
};

const defaultObject2 = /* @__PURE__ */ defaultOf({ startTime: '00:00:00', endTime: '23:59:59' });

const isTimePeriod = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.startTime;
  if (!time.accepts(x)) return false;
  x = o.endTime;
  if (!time.accepts(x)) return false;
  return true;
};

const serviceHoursWeekHours: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.dayOfWeek;
    if (!areAll(x, serviceHoursWeekHoursDayOfWeek))
      defaulted(o, x, 'dayOfWeek', serviceHoursWeekHoursDayOfWeekList, issues, defaultArray2);
    x = o.timePeriods;
    if (!isTimePeriod(x)) defaulted(o, x, 'timePeriods', timePeriod, issues, defaultObject2);
    return o;
  },
};

const serviceHoursWeekHoursList: Reader = /* @__PURE__ */ listOf(serviceHoursWeekHours, {
  spreadKey: 'timePeriods',
});

const date = /* @__PURE__ */ new StringReader({ format: 'date' });

const serviceHoursHolidayHours: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.date;
    if (!date.accepts(x) && !required(o, x, 'date', date, issues)) return UNUSABLE;
    x = o.timePeriods;
    if (x !== undefined && !isTimePeriod(x) && !decisive(o, x, 'timePeriods', timePeriod, issues))
      return UNUSABLE;
    return o;
  },
};

const serviceHoursHolidayHoursList: Reader = /* @__PURE__ */ listOf(serviceHoursHolidayHours, {
  spreadKey: 'timePeriods',
  keepsEmpty: true,
});

const defaultArrayBySpec2 = /* @__PURE__ */ defaultOf([], 'spec');

const serviceHours: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (!serviceAreaId.accepts(x)) expected(o, x, 'id', serviceAreaId, issues);
    x = o.weekHours;
    defaulted(o, x, 'weekHours', serviceHoursWeekHoursList, issues, defaultArray);
    x = o.holidayHours;
    defaulted(o, x, 'holidayHours', serviceHoursHolidayHoursList, issues, defaultArrayBySpec2);
    return o;
  },
};

const service: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE')
      defaulted(o, x, 'status', merchantStatus, issues, AVAILABLE);
    x = o.serviceType;
    if (x !== 'DELIVERY' && x !== 'TAKEOUT' && x !== 'INDOOR')
      expected(o, x, 'serviceType', serviceServiceType, issues);
    x = o.serviceTiming;
    if (x !== undefined && !isServiceServiceTiming(x))
      optional(o, x, 'serviceTiming', serviceServiceTiming, issues);
    x = o.servicePriority;
    if (x !== undefined && !areAll(x, serviceServicePriority))
      optional(o, x, 'servicePriority', serviceServicePriorityList, issues);
    x = o.menuId;
    if (typeof x !== 'string') expected(o, x, 'menuId', id, issues);
    x = o.targetAppId;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'targetAppId', id, issues);
    x = o.serviceArea;
    if (x !== undefined) optional(o, x, 'serviceArea', serviceArea, issues);
    x = o.serviceHours;
    expected(o, x, 'serviceHours', serviceHours, issues);
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
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.name;
    if (typeof x !== 'string') expected(o, x, 'name', string, issues);
    x = o.description;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'description', string, issues);
    x = o.externalCode;
    if (typeof x !== 'string') expected(o, x, 'externalCode', id, issues);
    x = o.disclaimer;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'disclaimer', string, issues);
    x = o.disclaimerURL;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'disclaimerURL', string, issues);
    x = o.categoryId;
    if (!areStrings(x)) expected(o, x, 'categoryId', idList, issues);
    return o;
  },
};

const menuList: Reader = /* @__PURE__ */ listOf(menu);

const isImage = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.URL;
  if (typeof x !== 'string') return false;
  x = o['CRC-32'];
  if (x !== undefined && typeof x !== 'string') return false;
  return true;
};

const category: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.index;
    if (!Number.isFinite(x)) expected(o, x, 'index', number, issues);
    x = o.name;
    if (typeof x !== 'string') expected(o, x, 'name', string, issues);
    x = o.description;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'description', string, issues);
    x = o.image;
    if (x !== undefined && !isImage(x)) optional(o, x, 'image', image, issues);
    x = o.externalCode;
    if (typeof x !== 'string') expected(o, x, 'externalCode', id, issues);
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE')
      defaulted(o, x, 'status', merchantStatus, issues, AVAILABLE);
    x = o.availabilityId;
    if (x !== undefined && !areStrings(x)) optional(o, x, 'availabilityId', idList, issues);
    x = o.itemOfferId;
    if (x !== undefined && !areStrings(x)) optional(o, x, 'itemOfferId', idList, issues);
    return o;
  },
};

const categoryList: Reader = /* @__PURE__ */ listOf(category);

const AVAILABLEBySpec = /* @__PURE__ */ defaultOf('AVAILABLE', 'spec');

const offerPrice: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues, 'value');
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.value;
    if (!Number.isFinite(x) && !required(o, x, 'value', number, issues)) return UNUSABLE;
    x = o.originalValue;
    if (!Number.isFinite(x)) expected(o, x, 'originalValue', number, issues);
    x = o.currency;
    if (x !== 'BRL' && !currency.accepts(x)) defaulted(o, x, 'currency', currency, issues, BRL);
    return o;
  },
};

const isOfferPrice = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.value;
  if (!Number.isFinite(x)) return false;
  x = o.originalValue;
  if (!Number.isFinite(x)) return false;
  x = o.currency;
  if (x !== 'BRL' && !currency.accepts(x)) return false;
  return true;
};

const itemOffer: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.itemId;
    if (typeof x !== 'string' && !required(o, x, 'itemId', id, issues)) return UNUSABLE;
    x = o.index;
    if (!Number.isFinite(x)) expected(o, x, 'index', number, issues);
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE')
      defaulted(o, x, 'status', merchantStatus, issues, AVAILABLEBySpec);
    x = o.price;
    if (!isOfferPrice(x) && !required(o, x, 'price', offerPrice, issues)) return UNUSABLE;
    x = o.availabilityId;
    if (x !== undefined && !areStrings(x)) optional(o, x, 'availabilityId', idList, issues);
    x = o.optionGroupsId;
    if (x !== undefined && !areStrings(x)) optional(o, x, 'optionGroupsId', idList, issues);
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
    x = o.URL;
    if (typeof x !== 'string' && !required(o, x, 'URL', string, issues)) return UNUSABLE;
    x = o.type;
    if (x !== 'MAIN' && x !== 'THUMB') expected(o, x, 'type', itemImagesType, issues);
    x = o['CRC-32'];
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'CRC-32', string, issues);
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
    x = o.description;
    if (typeof x !== 'string') expected(o, x, 'description', string, issues);
    x = o.calories;
    if (typeof x !== 'string') expected(o, x, 'calories', string, issues);
    x = o.allergen;
    if (x !== undefined && !areAll(x, itemNutritionalInfoAllergen))
      optional(o, x, 'allergen', itemNutritionalInfoAllergenList, issues);
    x = o.additives;
    if (x !== undefined && !areStrings(x)) optional(o, x, 'additives', stringList, issues);
    x = o.suitableDiet;
    if (x !== undefined && !areAll(x, itemNutritionalInfoSuitableDiet))
      optional(o, x, 'suitableDiet', itemNutritionalInfoSuitableDietList, issues);
    x = o.isAlcoholic;
    if (x !== undefined && typeof x !== 'boolean') optional(o, x, 'isAlcoholic', boolean, issues);
    return o;
  },
};

const isItemNutritionalInfo = (o: unknown) => {
  if (!isObject(o)) return false;
  let x: unknown;
  x = o.description;
  if (typeof x !== 'string') return false;
  x = o.calories;
  if (typeof x !== 'string') return false;
  x = o.allergen;
  if (x !== undefined && !areAll(x, itemNutritionalInfoAllergen)) return false;
  x = o.additives;
  if (x !== undefined && !areStrings(x)) return false;
  x = o.suitableDiet;
  if (x !== undefined && !areAll(x, itemNutritionalInfoSuitableDiet)) return false;
  x = o.isAlcoholic;
  if (x !== undefined && typeof x !== 'boolean') return false;
  return true;
};

const itemUnit = /* @__PURE__ */ new StringReader({ values: ['UN', 'KG', 'L', 'OZ', 'LB', 'GAL'] });

const item: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.name;
    if (typeof x !== 'string') expected(o, x, 'name', string, issues);
    x = o.description;
    if (typeof x !== 'string') expected(o, x, 'description', string, issues);
    x = o.externalCode;
    if (typeof x !== 'string') expected(o, x, 'externalCode', id, issues);
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE')
      defaulted(o, x, 'status', merchantStatus, issues, AVAILABLEBySpec);
    x = o.image;
    if (x !== undefined && !isImage(x)) optional(o, x, 'image', image, issues);
    x = o.images;
    if (x !== undefined) optional(o, x, 'images', itemImagesList, issues);
    x = o.nutritionalInfo;
    if (x !== undefined && !isItemNutritionalInfo(x))
      optional(o, x, 'nutritionalInfo', itemNutritionalInfo, issues);
    x = o.serving;
    if (x !== undefined && !Number.isFinite(x)) optional(o, x, 'serving', number, issues);
    x = o.unit;
    if (x !== 'UN' && x !== 'KG' && x !== 'L' && x !== 'OZ' && x !== 'LB' && x !== 'GAL')
      expected(o, x, 'unit', itemUnit, issues);
    x = o.ean;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'ean', id, issues);
    return o;
  },
};

const itemList: Reader = /* @__PURE__ */ listOf(item);

const optionGroupPriceMethod = /* @__PURE__ */ new StringReader({
  values: ['SUM', 'MAX', 'AVG'],
  spellings: {},
});

const SUMBySpec = /* @__PURE__ */ defaultOf('SUM', 'spec');

const option: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.itemId;
    if (typeof x !== 'string') expectedBySpec(o, x, 'itemId', id, issues);
    x = o.index;
    if (!Number.isFinite(x)) expectedBySpec(o, x, 'index', number, issues);
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE')
      defaulted(o, x, 'status', merchantStatus, issues, AVAILABLEBySpec);
    x = o.price;
    if (!isOfferPrice(x) && !decisiveBySpec(o, x, 'price', offerPrice, issues)) return UNUSABLE;
    x = o.maxPermitted;
    if (!Number.isFinite(x)) expectedBySpec(o, x, 'maxPermitted', number, issues);
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
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.index;
    if (!Number.isFinite(x)) expected(o, x, 'index', number, issues);
    x = o.name;
    if (typeof x !== 'string') expected(o, x, 'name', string, issues);
    x = o.description;
    if (x !== undefined && typeof x !== 'string') optional(o, x, 'description', string, issues);
    x = o.externalCode;
    if (typeof x !== 'string') expected(o, x, 'externalCode', id, issues);
    x = o.status;
    if (x !== 'AVAILABLE' && x !== 'UNAVAILABLE')
      defaulted(o, x, 'status', merchantStatus, issues, AVAILABLE);
    x = o.minPermitted;
    if (!Number.isFinite(x)) expected(o, x, 'minPermitted', number, issues);
    x = o.maxPermitted;
    if (!Number.isFinite(x)) expected(o, x, 'maxPermitted', number, issues);
    x = o.priceMethod;
    if (x !== 'SUM' && x !== 'MAX' && x !== 'AVG')
      defaulted(o, x, 'priceMethod', optionGroupPriceMethod, issues, SUMBySpec);
    x = o.options;
    if (x !== undefined) optional(o, x, 'options', optionList, issues);
    return o;
  },
};

const optionGroupList: Reader = /* @__PURE__ */ listOf(optionGroup);

const dateBySpec = /* @__PURE__ */ new StringReader({ format: 'date', bySpec: true });

const availability: Reader = {
  expects: AN_OBJECT,
  read(value, issues) {
    const o = objectOf(value, issues);
    if (o === undefined) return UNUSABLE;
    let x: unknown;
    x = o.id;
    if (typeof x !== 'string' && !required(o, x, 'id', id, issues)) return UNUSABLE;
    x = o.startDate;
    if (x !== undefined && !dateBySpec.accepts(x)) optional(o, x, 'startDate', dateBySpec, issues);
    x = o.endDate;
    if (x !== undefined && !dateBySpec.accepts(x)) optional(o, x, 'endDate', dateBySpec, issues);
    x = o.hours;
    defaulted(o, x, 'hours', serviceHoursWeekHoursList, issues, defaultArray);
    return o;
  },
};

const availabilityList: Reader = /* @__PURE__ */ listOf(availability);

export const merchant: Reader = /* @__PURE__ */ objectReader({
  lastUpdate: [expected, datetime],
  TTL: [expected, number],
  id: [expected, merchantId],
  status: [defaulted, merchantStatus, AVAILABLE],
  basicInfo: [defaulted, basicInfo, defaultObject],
  services: [defaulted, serviceList, defaultArray],
  menus: [defaulted, menuList, defaultArray],
  categories: [defaulted, categoryList, defaultArray],
  itemOffers: [defaulted, itemOfferList, defaultArray],
  items: [defaulted, itemList, defaultArray],
  optionGroups: [defaulted, optionGroupList, defaultArrayBySpec2],
  availabilities: [defaulted, availabilityList, defaultArrayBySpec2],
});
