import { announcements } from './announce.js';
import { densityButton } from './density.js';
import { el, select, setOptions, setText } from './dom.js';
import { day, timeOfDay } from './format.js';
import { connect, disconnect, live, now } from './live.js';
import type { OpenSection, Section } from './section.js';
import { openEvents } from './sections/events.js';
import { openFaults, percent } from './sections/faults.js';
import { openLimits } from './sections/limits.js';
import { openMenu } from './sections/menu.js';
import { openOrders } from './sections/orders.js';
import { openRehearsal } from './sections/rehearsal.js';
import { openRequests } from './sections/requests.js';
import { openScript } from './sections/script.js';
import { openTime } from './sections/time.js';
import { openViolations } from './sections/violations.js';
import { storeOptions } from './stores.js';
import { type Language, language, setLanguage, t } from './texts.js';

const SECTIONS: Readonly<Record<string, OpenSection>> = {
  rehearsal: openRehearsal,
  orders: openOrders,
  events: openEvents,
  requests: openRequests,
  violations: openViolations,
  limits: openLimits,
  faults: openFaults,
  time: openTime,
  menu: openMenu,
  script: openScript,
};

const TICK_MS = 250;

let shell: Shell | undefined;

/** The frame of the page: what is visible in every section. */
class Shell {
  readonly #main = el('main', { id: 'main', tabindex: -1 });
  readonly #clock = el('strong', {});
  readonly #date = el('span', { class: 'quiet' });
  readonly #speed = el('a', { href: '#/time', class: 'speed' });
  readonly #fault = el('a', { href: '#/faults', class: 'fault-in-force', hidden: true });
  readonly #state = el('span', { class: 'connection', role: 'status' });
  readonly #stores = select([['', t().allStores]], '', {
    'aria-label': t().store,
    onchange: () => {
      this.clientId = this.#stores.value;
      this.#show(true);
    },
  });
  readonly #links = new Map<string, { link: HTMLElement; count: HTMLElement }>();
  #section: Section | undefined;
  #name = '';
  /** The animation frame in which the next message is drawn; 0: none. */
  #frame = 0;
  #isFirst = false;
  clientId = '';

  constructor() {
    const languages = select(
      [
        ['en', 'English'],
        ['pt-BR', 'Português'],
      ],
      language(),
      {
        'aria-label': t().language,
        onchange: () => {
          setLanguage(languages.value as Language);
          start(this.clientId);
        },
      },
    );
    const nav = el('nav', { 'aria-label': t().sections });
    for (const name of Object.keys(SECTIONS)) {
      const count = el('span', { class: 'count' });
      // Shown when the hub says that there is one.
      const hidden = name === 'rehearsal';
      const link = el('a', { href: `#/${name}`, hidden }, t().names[name] ?? name, ' ', count);
      this.#links.set(name, { link, count });
      nav.append(link);
    }
    document.documentElement.lang = language();
    document.body.replaceChildren(
      el('a', { href: '#main', class: 'skip', onclick: (event) => this.#skip(event) }, t().skip),
      el(
        'header',
        { class: 'top' },
        el('h1', {}, t().title, ' ', el('span', { class: 'quiet' }, t().what)),
        this.#stores,
        this.#fault,
        el('span', { class: 'space' }),
        this.#state,
        el(
          'span',
          { class: 'clock', role: 'timer', 'aria-label': t().hubTime },
          this.#clock,
          ' ',
          this.#date,
        ),
        this.#speed,
        densityButton(),
        languages,
      ),
      nav,
      this.#main,
      announcements(),
    );
    this.#connected(undefined);
  }

  #skip(event: Event): void {
    event.preventDefault();
    this.#main.focus();
  }

  /** Shows the section of the address. */
  #show(again = false): void {
    const [given = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decode);
    const name = given in SECTIONS ? given : 'orders';
    if (name !== this.#name || again) {
      this.#name = name;
      const root = el('div', { class: `section ${name}` });
      disconnect();
      for (const dialog of document.querySelectorAll('dialog')) dialog.close();
      this.#main.replaceChildren(el('h2', {}, t().names[name] ?? name), root);
      for (const [each, { link }] of this.#links) {
        if (each === name) {
          link.setAttribute('aria-current', 'page');
          // Not `scrollIntoView`: since Chromium 150, Tab goes on from there, behind the link that skips to the content.
          const nav = link.parentElement as HTMLElement;
          nav.scrollLeft = link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
        } else link.removeAttribute('aria-current');
      }
      document.title = `${t().names[name]} · ${t().title}`;
      const page = {
        clientId: () => this.clientId,
        hasManyStores: () => this.clientId === '' && live.summary.stores.length > 1,
        reconnect: () => this.#connect(),
      };
      this.#section = (SECTIONS[name] as OpenSection)(root, page);
      this.#connect();
    }
    this.#section?.open?.(rest);
  }

  show(): void {
    this.#show();
  }

  #connect(): void {
    // A message for the connection before this one must not be drawn as if it were the first of this one.
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#isFirst = true;
    this.#main.setAttribute('aria-busy', 'true');
    const query = { section: this.#name, clientId: this.clientId, ...this.#section?.query?.() };
    connect(query, { changed: () => this.#changed(), connected: (is) => this.#connected(is) });
  }

  /** Ends the connection while nobody looks. */
  visible(is: boolean): void {
    if (is) this.#connect();
    else disconnect();
  }

  /** @param is - undefined: not yet known. */
  #connected(is: boolean | undefined): void {
    this.#state.classList.toggle('is-lost', is === false);
    this.#state.classList.toggle('is-connecting', is === undefined);
    setText(this.#state, is === undefined ? t().connecting : is ? t().live : t().lost);
  }

  /** Draws what a click has asked for at once, and otherwise at most once for each frame. */
  #changed(): void {
    if (this.#isFirst) this.#update();
    else this.#frame ||= requestAnimationFrame(() => this.#update());
  }

  #update(): void {
    this.#isFirst = false;
    this.#frame = 0;
    this.#main.removeAttribute('aria-busy');
    this.#draw();
    this.#section?.update();
  }

  #draw(): void {
    const { stores, requests, violations, faults, rehearsal } = live.summary;
    const sum = (key: 'open' | 'waiting' | 'pending') =>
      stores.reduce((total, store) => total + store[key], 0);
    if (rehearsal) {
      this.#links.get('rehearsal')?.link.removeAttribute('hidden');
      this.#count('rehearsal', rehearsal.total - rehearsal.ended);
    }
    this.#count('orders', sum('waiting'), true);
    this.#count('events', sum('pending'));
    this.#count('requests', requests);
    this.#count('violations', violations, true);
    const queued = faults.next.reduce((total, { times }) => total + times, 0);
    this.#count('faults', queued, true);
    this.#fault.hidden = queued === 0 && !faults.random;
    const texts = [
      queued > 0 && t().faultsInForce(queued),
      faults.random && t().randomInForce(percent(faults.random.rate)),
      faults.random?.clientId,
    ];
    setText(this.#fault, texts.filter(Boolean).join(' · '));
    setOptions(this.#stores, [['', t().allStores], ...storeOptions()], this.clientId);
    this.tick();
  }

  #count(name: string, count: number, isWarning = false): void {
    const element = this.#links.get(name)?.count;
    if (!element) return;
    setText(element, count === 0 ? '' : String(count));
    element.classList.toggle('warn', isWarning && count > 0);
  }

  tick(): void {
    setText(this.#clock, timeOfDay(now()));
    setText(this.#date, day(now()));
    setText(this.#speed, live.time.kind === 'manual' ? '‖' : `×${live.time.speed}`);
    this.#section?.tick?.();
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Draws the page, also again in another language. */
function start(clientId: string): void {
  disconnect();
  shell = new Shell();
  shell.clientId = clientId;
  shell.show();
}

start('');
addEventListener('hashchange', () => shell?.show());
document.addEventListener('visibilitychange', () => shell?.visible(document.visibilityState === 'visible'));
setInterval(() => shell?.tick(), TICK_MS);
