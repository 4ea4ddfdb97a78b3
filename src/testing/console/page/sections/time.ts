import { command } from '../commands.js';
import { button, el, setText } from '../dom.js';
import { day, timeOfDay } from '../format.js';
import { live, now } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';

const JUMPS = ['30s', '10m', '2h', '7d'];
const SPEEDS = [1, 10, 60, 600];

/** The hub's clock: how fast it runs, and jumps. */
export const openTime: OpenSection = (root) => {
  const texts = t().time;
  const clock = el('p', { class: 'big-clock' });
  const date = el('p', { class: 'quiet' });
  const about = el('p', {});
  const hint = el('p', {}, texts.hint);
  const jumps = JUMPS.map((advance) => {
    const label = texts.units[advance] ?? advance;
    return button(`+ ${label}`, () => command('POST', 'clock', { advance }, texts.jumped(label)));
  });
  const speeds = SPEEDS.map((speed) => ({
    speed,
    element: button(`×${speed}`, () => command('POST', 'clock', { speed }, paceText(speed))),
  }));
  const speed = el(
    'section',
    { 'aria-label': texts.speed },
    el('h3', {}, texts.speed),
    el('div', { class: 'bar' }, ...speeds.map(({ element }) => element)),
  );
  const jump = el(
    'section',
    { 'aria-label': texts.jump },
    el('h3', {}, texts.jump),
    el('div', { class: 'bar' }, ...jumps),
  );
  root.append(el('div', {}, clock, date), about, hint, jump, speed);
  const tick = () => {
    setText(clock, timeOfDay(now()));
    setText(date, day(now()));
  };
  return {
    update() {
      const { kind, speed: factor } = live.time;
      hint.hidden = kind === 'system';
      jump.hidden = kind === 'system';
      speed.hidden = kind !== 'scaled';
      setText(about, kind === 'system' ? texts.system : kind === 'manual' ? texts.manual : paceText(factor));
      for (const each of speeds) each.element.setAttribute('aria-pressed', String(each.speed === factor));
      tick();
    },
    tick,
  };
};

const paceText = (factor: number): string =>
  factor === 1 ? t().time.realTime : t().time.timesFaster(factor);
