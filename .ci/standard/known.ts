const WINDOWS = '15_MINUTES, 30_MINUTES, 45_MINUTES, 60_MINUTES, 90_MINUTES, 120_MINUTES';

const CANCELLATION_CODES =
  'SYSTEMIC_ISSUES, DUPLICATE_APPLICATION, UNAVAILABLE_ITEM, RESTAURANT_WITHOUT_DELIVERY_PERSON, OUTDATED_MENU, ' +
  'ORDER_OUTSIDE_THE_DELIVERY_AREA, BLOCKED_CUSTOMER, OUTSIDE_DELIVERY_HOURS, INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT, ' +
  'RISK_AREA, DELIVERY_PROBLEM, CONSUMER_CANCELLATION_REQUESTED, OTHER_CANCELLATION_REASON';

/** Where our schemas differ from the standard on purpose. The lines are those of `differencesFrom`. */
export const KNOWN_DIFFERENCES: readonly string[] = [
  // Hubs write it with a capital letter too, and the client does not need it.
  'gone values TokenResponse.token_type: Bearer',
  'now required TokenResponse.token_type',
  // An example of Spec §2.3.
  'gone values Merchant.basicInfo.acceptedCards[]: PIX',
  // Any number of minutes by Spec §2.4.
  `new values Merchant.services[].serviceTiming.schedule.scheduleTimeWindow: ${WINDOWS}`,
  `new values Merchant.services[].serviceTiming.schedule.scheduleStartWindow: ${WINDOWS}`,
  `new values Merchant.services[].serviceTiming.schedule.scheduleEndWindow: ${WINDOWS}`,
  // By the text of the standard, a holiday without periods is closed all day.
  'now required Merchant.services[].serviceHours.holidayHours[].timePeriods',
  // `metadata` is an object of any keys at run time. Its fields are in the type `EventMetadata`.
  'new field Event.metadata.clientId: string',
  'new field Event.metadata.pickupArea: string, required',
  'new field Event.metadata.reason: string, required',
  `new field Event.metadata.code: string, required, one of ${CANCELLATION_CODES}`,
];
