import { ENDPOINT_NAMES } from '../../../../hub/endpoints.js';
import { FAULT_TYPES } from '../../../fault.js';
import { command } from '../commands.js';
import { button, el, field, select } from '../dom.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';

const QUICK: ReadonlyArray<readonly [label: string, fault: unknown]> = [
  ['500', 500],
  ['503', 503],
  ['429', { status: 429, headers: { 'retry-after': '60' } }],
  ['401', 401],
  ['reset', 'reset'],
  ['lost', 'lost'],
  ['hang', 'hang'],
  ['malformed', 'malformed'],
];

/** What will fail: the next requests of an endpoint, or a share of all. */
export const openFaults: OpenSection = (root) => {
  const texts = t().faults;
  const list = el('ul', { class: 'in-force' });
  const clear = button(texts.clear, () => command('DELETE', 'faults', undefined, texts.cleared));
  root.append(
    el(
      'section',
      { 'aria-label': texts.inForce },
      el('h3', {}, texts.inForce),
      list,
      el('div', { class: 'bar' }, clear),
    ),
    el(
      'section',
      { 'aria-label': texts.next },
      el('h3', {}, texts.next),
      el('p', { class: 'quiet' }, texts.nextHint),
      el('div', { class: 'quick' }, ...ENDPOINT_NAMES.map(quickRow)),
      el('details', {}, el('summary', {}, texts.custom), custom()),
    ),
    el('section', { 'aria-label': texts.random }, el('h3', {}, texts.random), random()),
  );
  let shown = '';
  return {
    update() {
      const { next, random: share } = live.summary.faults;
      const text = JSON.stringify(live.summary.faults);
      if (text === shown) return;
      shown = text;
      clear.disabled = next.length === 0 && !share;
      list.replaceChildren(
        ...next.map(({ endpoint, fault, times, clientId }) =>
          el(
            'li',
            {},
            el('b', {}, endpoint),
            ' ',
            el('code', {}, faultText(fault)),
            ' ',
            el('span', { class: 'quiet' }, about(texts.times(times), clientId)),
          ),
        ),
        ...(share
          ? [
              el(
                'li',
                {},
                t().randomInForce(percent(share.rate)),
                ' ',
                el('span', { class: 'quiet' }, about(`${texts.seed} ${share.seed}`, share.clientId)),
              ),
            ]
          : []),
        ...(next.length === 0 && !share ? [el('li', { class: 'quiet' }, texts.none)] : []),
      );
    },
  };
};

/** A fault of one store names it. */
const about = (text: string, clientId: string | undefined): string =>
  clientId === undefined ? text : `${text} · ${clientId}`;

export const percent = (rate: number): string => `${Math.round(rate * 1000) / 10}%`;

const faultText = (fault: {
  readonly type: string;
  readonly status?: number;
  readonly ms?: number;
}): string =>
  [fault.type, fault.status, fault.ms === undefined ? undefined : `${fault.ms} ms`]
    .filter((each) => each !== undefined)
    .join(' ');

function quickRow(endpoint: string): HTMLElement {
  const texts = t().faults;
  const meaning = (label: string) => texts.meanings[label] ?? `${texts.meanings.status ?? ''} ${label}`;
  const more: typeof QUICK =
    endpoint === 'polling'
      ? [
          ['duplicate', 'duplicate'],
          ['reorder', 'reorder'],
        ]
      : [];
  return el(
    'div',
    { class: 'quick-row', role: 'group', 'aria-label': endpoint },
    el('b', {}, endpoint),
    ...[...QUICK, ...more].map(([label, fault]) =>
      button(label, () => command('POST', 'faults', { endpoint, fault }, texts.set(label, endpoint)), {
        'aria-label': `${endpoint}: ${label}`,
        title: meaning(label),
      }),
    ),
  );
}

function custom(): HTMLElement {
  const texts = t().faults;
  const endpoint = select(
    ENDPOINT_NAMES.map((name) => [name, name]),
    'polling',
  );
  const type = select(
    FAULT_TYPES.map((name) => [name, `${name}: ${texts.meanings[name] ?? ''}`]),
    'status',
    { onchange: () => show() },
  );
  const status = el('input', { type: 'number', min: 200, max: 599, value: 503 });
  const retryAfter = el('input', { type: 'number', min: 0 });
  const delay = el('input', { type: 'number', min: 0, value: 5000 });
  const times = el('input', { type: 'number', min: 1, value: 1 });
  const statusFields = [field(texts.status, status), field(texts.retryAfter, retryAfter)];
  const delayField = field(texts.latency, delay);
  const show = () => {
    for (const each of statusFields) each.hidden = type.value !== 'status';
    delayField.hidden = type.value !== 'latency';
  };
  show();
  const fault = () => {
    if (type.value === 'latency') return { type: 'latency', ms: Number(delay.value) };
    if (type.value !== 'status') return type.value;
    const headers = retryAfter.value === '' ? {} : { headers: { 'retry-after': retryAfter.value } };
    return { status: Number(status.value), ...headers };
  };
  const send = () =>
    command(
      'POST',
      'faults',
      { endpoint: endpoint.value, fault: fault(), times: Number(times.value) },
      texts.set(type.value === 'status' ? status.value : type.value, endpoint.value),
    );
  return el(
    'div',
    { class: 'bar' },
    field(t().requests.endpoint, endpoint),
    field(texts.fault, type),
    ...statusFields,
    delayField,
    field(texts.count, times, { class: 'field narrow' }),
    button(texts.apply, send, { class: 'primary' }),
  );
}

function random(): HTMLElement {
  const texts = t().faults;
  const value = el('output', {}, '10%');
  const rate: HTMLInputElement = el('input', {
    type: 'range',
    min: 0,
    max: 100,
    value: 10,
    oninput: () => value.replaceChildren(`${rate.value}%`),
  });
  const seed = el('input', { type: 'text', value: '1' });
  const apply = () => {
    const share = Number(rate.value) / 100;
    const done = share > 0 ? texts.applied : texts.noRandom;
    return command('PUT', 'faults', { seed: seed.value, rate: share }, done);
  };
  return el(
    'div',
    { class: 'bar' },
    field(texts.rate, el('span', { class: 'range' }, rate, value)),
    field(texts.seed, seed, { class: 'field narrow' }),
    button(texts.apply, apply, { class: 'primary' }),
  );
}
