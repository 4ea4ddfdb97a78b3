import type { Menu, ResolvedService } from 'opendelivery-client/menu';
import { byId, element } from './element.js';
import type { Texts } from './texts.js';

/** The head of the page: the store, its services, and whether the chosen one is open. */
export class StoreHeader {
  readonly #menu: Menu;
  readonly #texts: Texts;

  constructor(menu: Menu, texts: Texts, onService: (service: ResolvedService) => void) {
    this.#menu = menu;
    this.#texts = texts;
    const { name, description, minOrderValue, averagePreparationTime } = menu.merchant.basicInfo;
    document.title = name ?? 'Menu';
    byId('store-name').textContent = name ?? 'Menu';
    byId('store-description').textContent = description ?? '';
    const facts = [
      minOrderValue && `Minimum order ${texts.money(minOrderValue)}`,
      averagePreparationTime !== undefined && `Ready in about ${averagePreparationTime} minutes`,
    ].filter((fact) => fact);
    byId('store-facts').textContent = facts.join(' · ');
    const services = menu.services.map((service, index) => {
      const input = element('input', { type: 'radio', name: 'service', checked: index === 0 });
      input.onchange = () => onService(service);
      return element('label', {}, input, texts.service(service.serviceType));
    });
    byId('services').hidden = services.length < 2;
    byId('services').append(...services);
  }

  /** Says whether a service is open at an instant, and otherwise when it opens. */
  update(service: ResolvedService | undefined, at: number): void {
    const opensAt = service && this.#menu.opensAt(service, at);
    const status = byId('status');
    status.classList.toggle('open', opensAt === at);
    if (opensAt === at) status.textContent = 'Open now';
    else if (opensAt === undefined) status.textContent = 'Closed until further notice';
    else status.textContent = `Closed · opens ${this.#texts.dayAndTime(opensAt)}`;
  }
}
