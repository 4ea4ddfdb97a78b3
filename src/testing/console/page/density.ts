import { button } from './dom.js';
import { t } from './texts.js';

const KEY = 'opendelivery-console-density';

/** Makes every row smaller, for a person who wants to see many of them. The browser remembers it. */
export function densityButton(): HTMLElement {
  const element = button(t().compact, () => {
    const isCompact = localStorage.getItem(KEY) === 'compact';
    localStorage.setItem(KEY, isCompact ? 'comfortable' : 'compact');
    show();
  });
  const show = () => {
    const density = localStorage.getItem(KEY) === 'compact' ? 'compact' : 'comfortable';
    document.documentElement.dataset.density = density;
    element.setAttribute('aria-pressed', String(density === 'compact'));
  };
  show();
  return element;
}
