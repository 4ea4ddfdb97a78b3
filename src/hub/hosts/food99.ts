import { namedHost } from './named-host.js';

const SCRIPT = '99Food, "Roteiro de Integração OpenDelivery"';
const LIST = `${SCRIPT}, acceptance list on page 27`;

/**
 * 99Food. Its API moved to `openapi.99food.com` in 2026. The base path is not in the documents that we know, so it
 * is the default here: set `basePath`, or let `opendelivery doctor` find it.
 */
export const food99 = namedHost(
  '99food',
  {
    name: '99Food',
    statusUntilAllowed: 404,
    token: { body: 'form', clientIdFormat: '{app_id}_{app_shop_id}', per: 'shop' },
    commands: { required: ['pickedUp', 'delivered'], refuseOthers: true },
    cancellationCodes: [
      'SYSTEMIC_ISSUES',
      'DUPLICATE_APPLICATION',
      'UNAVAILABLE_ITEM',
      'RESTAURANT_WITHOUT_DELIVERY_PERSON',
      'OUTDATED_MENU',
      'ORDER_OUTSIDE_THE_DELIVERY_AREA',
      'BLOCKED_CUSTOMER',
      'OUTSIDE_DELIVERY_HOURS',
      'INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT',
      'RISK_AREA',
      'DELIVERY_PROBLEM',
    ],
    denialCodes: ['DISH_ALREADY_DONE', 'OUT_FOR_DELIVERY'],
    webhook: { accepted: 204, unsigned: 403 },
    statusMeanings: [
      {
        status: 404,
        endpoints: ['token', 'merchant', 'polling', 'acknowledgment'],
        meaning: '99Food answers this until the application is in its allow list',
      },
      {
        status: 422,
        endpoints: ['orderStatus'],
        meaning:
          '99Food also answers this to a command that is not for this kind of order; nextCommands names the right ones if it gets the profile',
      },
    ],
  },
  {
    statusUntilAllowed: `${SCRIPT}, and public clients of 2026: 404 on everything until the application is allowed`,
    'token.body': `${LIST}, item 1: token form-encoded; a public client of 2026 sends JSON, and the host's own document wins`,
    'token.clientIdFormat': SCRIPT,
    'token.per': `${LIST}, item 1`,
    'commands.required': `${LIST}, items 3 and 4b: delivered and pickedUp, also without the flags of the order`,
    'commands.refuseOthers': `${LIST}, items 3, 4 and 4b: 422`,
    cancellationCodes: `${LIST}, item 5: one of eleven codes, which are the eleven of the standard`,
    denialCodes: `${SCRIPT}: denial reasons`,
    'webhook.accepted': `${LIST}, item 8: right signature 204`,
    'webhook.unsigned': `${LIST}, item 8: wrong signature 403`,
    statusMeanings: `${SCRIPT}: 404 until allowed, 422 for a command that is not for the order`,
  },
);
