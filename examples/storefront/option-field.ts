import type { OptionSelection, ResolvedOption, ResolvedOptionGroup } from 'opendelivery-client/menu';
import { element } from './element.js';
import { priceTag } from './price-tag.js';
import { Stepper } from './stepper.js';
import type { Texts } from './texts.js';

/** One option, with the control that chooses it. */
interface Row {
  readonly option: ResolvedOption;
  readonly quantity: () => number;
  /** @param free - how many more options of the group may be chosen. */
  readonly limit: (free: number) => void;
}

export interface OptionFieldOptions {
  readonly texts: Texts;
  readonly isSoldOut: (option: ResolvedOption) => boolean;
  readonly onChange: () => void;
}

/** The options of a group: radio buttons for one choice, otherwise check boxes and steppers. */
export class OptionField {
  readonly element: HTMLFieldSetElement;
  readonly #group: ResolvedOptionGroup;
  readonly #rows: readonly Row[];
  readonly #count: HTMLElement;
  readonly #fault: HTMLElement;
  readonly #options: OptionFieldOptions;

  constructor(group: ResolvedOptionGroup, options: OptionFieldOptions) {
    this.#group = group;
    this.#options = options;
    const id = `group-${group.id}`;
    this.#count = element('span', { className: 'count' });
    this.#fault = element('p', { className: 'fault', id: `${id}-fault`, role: 'alert', hidden: true });
    const list = element('div', { className: 'options' });
    this.#rows = group.options.map((option) => this.#row(option, list));
    if (group.maxPermitted === 1 && (group.minPermitted ?? 0) < 1) list.prepend(this.#none());
    const rule = element('span', { className: 'rule', textContent: options.texts.rule(group) });
    const legend = element('legend', {}, element('span', {}, group.name ?? 'Options'), rule, this.#count);
    this.element = element('fieldset', { id, 'aria-describedby': this.#fault.id }, legend, this.#fault, list);
    this.#update();
  }

  /** What is chosen, in the order of the menu. */
  get selections(): OptionSelection[] {
    return this.#rows.flatMap(({ option, quantity }) =>
      quantity() > 0 ? [{ groupId: this.#group.id, optionId: option.id, quantity: quantity() }] : [],
    );
  }

  /** Shows what is wrong with the choice; undefined if nothing is. */
  set fault(text: string | undefined) {
    this.#fault.hidden = text === undefined;
    this.#fault.textContent = text ?? '';
    this.element.classList.toggle('invalid', text !== undefined);
  }

  focus(): void {
    this.element.querySelector<HTMLElement>('input:enabled, button')?.focus();
  }

  #row(option: ResolvedOption, list: HTMLElement): Row {
    const { maxPermitted: ofOption = Number.POSITIVE_INFINITY } = option;
    const { maxPermitted: ofGroup = Number.POSITIVE_INFINITY } = this.#group;
    const name = option.item?.name ?? option.id;
    if (this.#options.isSoldOut(option)) {
      const input = element('input', { type: ofGroup === 1 ? 'radio' : 'checkbox', disabled: true });
      list.append(this.#label(option, input, name, 'Sold out'));
      return { option, quantity: () => 0, limit: () => {} };
    }
    if (Math.min(ofOption, ofGroup) > 1) {
      const stepper = new Stepper({ label: name, value: 0, min: 0, onChange: () => this.#changed() });
      list.append(element('div', { className: 'option' }, stepper.element, name, this.#price(option)));
      const limit = (free: number) => {
        stepper.max = Math.min(ofOption, stepper.value + free);
      };
      return { option, quantity: () => stepper.value, limit };
    }
    const input = element('input', {
      type: ofGroup === 1 ? 'radio' : 'checkbox',
      name: `group-${this.#group.id}`,
      onchange: () => this.#changed(),
    });
    list.append(this.#label(option, input, name));
    const limit = (free: number) => {
      input.disabled = input.type === 'checkbox' && !input.checked && free <= 0;
    };
    return { option, quantity: () => Number(input.checked), limit };
  }

  #label(option: ResolvedOption, input: HTMLInputElement, name: string, note?: string): HTMLElement {
    const badge = note !== undefined && element('span', { className: 'badge', textContent: note });
    return element('label', { className: 'option' }, input, name, badge || this.#price(option));
  }

  /** The way back from an optional choice of one. */
  #none(): HTMLElement {
    const input = element('input', { type: 'radio', name: `group-${this.#group.id}`, checked: true });
    input.onchange = () => this.#changed();
    return element('label', { className: 'option' }, input, 'None');
  }

  #price({ price }: ResolvedOption): HTMLElement | false {
    const prefix = this.#group.priceMethod === 'SUM' ? '+ ' : '';
    return price !== undefined && price.value > 0 && priceTag(price, this.#options.texts, prefix);
  }

  #changed(): void {
    this.fault = undefined;
    this.#update();
    this.#options.onChange();
  }

  #update(): void {
    const { maxPermitted = Number.POSITIVE_INFINITY } = this.#group;
    const chosen = this.#rows.reduce((sum, { quantity }) => sum + quantity(), 0);
    for (const { limit } of this.#rows) limit(maxPermitted - chosen);
    const isCounted = maxPermitted > 1 && Number.isFinite(maxPermitted);
    this.#count.textContent = isCounted ? `${chosen} of ${maxPermitted}` : '';
  }
}
