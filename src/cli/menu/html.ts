import { isUnavailable } from '../../menu/entries.js';
import { formatCount } from '../format.js';
import { escaped, htmlPage } from '../markup.js';
import {
  type CategoryView,
  formatChoice,
  formatMoney,
  type MenuView,
  type OfferView,
  type OptionView,
  type ServiceView,
} from './view.js';

/** See `htmlPage`. */
export function menuHtml(view: MenuView): string {
  return htmlPage(
    view.name,
    STYLE,
    `<header><h1>${escaped(view.name)}</h1><p>${isUnavailable(view) ? badge('closed until further notice') : ''} as of <time>${escaped(view.at)}</time></p></header>
<main>
${view.services.map(serviceHtml).join('\n')}
${view.unlisted.length > 0 ? `<section><h2>Not in a category</h2>${offersHtml(view.unlisted)}</section>` : ''}
</main>
<footer>${issuesHtml(view)}</footer>`,
  );
}

function serviceHtml(service: ServiceView): string {
  const opens = service.opensAt === undefined ? '' : `, opens ${service.opensAt}`;
  const state = service.available ? '<b class="open">open</b>' : badge(`${service.why}${opens}`);
  const categories = service.menu?.categories.map(categoryHtml).join('\n') ?? '';
  return `<section><h2>${escaped(service.type)} ${state}</h2>\n${categories}</section>`;
}

function categoryHtml(category: CategoryView): string {
  const closed = category.available ? '' : ` ${badge(category.why ?? '')}`;
  const description = category.description ? `<p>${escaped(category.description)}</p>` : '';
  return `<h3>${escaped(category.name)}${closed}</h3>${description}${offersHtml(category.offers)}`;
}

function offersHtml(offers: readonly OfferView[]): string {
  return `<ul>${offers.map(offerHtml).join('\n')}</ul>`;
}

function offerHtml(offer: OfferView): string {
  const before = offer.before ? `<s>${escaped(formatMoney(offer.before))}</s> ` : '';
  const closed = offer.available ? '' : ` ${badge(offer.why ?? '')}`;
  const groups = offer.groups.map(
    (group) =>
      `<p class="group"><b>${escaped(group.name)}</b> <i>${escaped(formatChoice(group))}</i> ${group.options
        .map(optionHtml)
        .join(' · ')}</p>`,
  );
  return `<li${offer.available ? '' : ' class="gone"'}><div><b>${escaped(offer.name)}</b>${closed}<span class="price">${before}${escaped(formatMoney(offer.price))}</span></div>${
    offer.description ? `<p>${escaped(offer.description)}</p>` : ''
  }${groups.join('')}</li>`;
}

function optionHtml({ name, price, available }: OptionView): string {
  const more = price && price.value > 0 ? ` + ${formatMoney(price)}` : '';
  return `<span${available ? '' : ' class="gone"'}>${escaped(name + more)}</span>`;
}

function issuesHtml({ issues }: MenuView): string {
  if (issues.length === 0) return '<p>no issues</p>';
  const lines = issues.map(
    ({ path, code, message }) =>
      `<li><code>${escaped(path.join('.'))}</code> ${escaped(message)} (${escaped(code)})</li>`,
  );
  return `<details><summary>${formatCount(issues.length, 'issue')}</summary><ol>${lines.join('\n')}</ol></details>`;
}

const badge = (text: string) => `<b class="closed">${escaped(text)}</b>`;

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 1rem; }
h1 { margin: 0; } h2 { border-bottom: 2px solid; margin-top: 2rem; } h3 { margin-bottom: .25rem; }
ul { list-style: none; padding: 0; } li { padding: .5rem 0; border-bottom: 1px solid #8884; }
li div { display: flex; gap: .5rem; align-items: baseline; } .price { margin-left: auto; white-space: nowrap; }
p { margin: .1rem 0; opacity: .8; } s { opacity: .6; } .gone { opacity: .55; } .group { font-size: .9rem; }
.open { color: #1a7f37; font-size: .8rem; } .closed { color: #c0392b; font-size: .8rem; }
footer { margin-top: 2rem; font-size: .85rem; } code { font-size: .8rem; }
`;
