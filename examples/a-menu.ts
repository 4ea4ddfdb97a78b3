import { HubClient, Menu } from 'opendelivery-client';

const hub = HubClient.fromEnv(); // HUB_BASE_URL and HUB_API_KEY
const { merchant } = await hub.merchant.get();
const menu = new Menu(merchant, { timeZone: 'America/Sao_Paulo' });

const [offer] = menu.services[0]?.menu?.categories[0]?.offers ?? [];
if (offer) {
  const why = menu.whyUnavailable(offer, new Date());
  console.log(offer.item.name, offer.price.value, why ? `closed: ${why.reason}` : 'open');

  const { total, lines, saving } = menu.price({ offerId: offer.id, quantity: 2 });
  console.log(`${lines.length} lines, ${total.value} ${total.currency}, saving ${saving.value}`);
}
console.log(menu.issues.length, 'issues in the links between entries');
await hub.close();
