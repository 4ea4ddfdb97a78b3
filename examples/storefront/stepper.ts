import { element } from './element.js';

export interface StepperOptions {
  /** What is counted, for screen readers. */
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly onChange: (value: number) => void;
}

/** Two buttons around a number. */
export class Stepper {
  readonly element: HTMLElement;
  readonly #less: HTMLButtonElement;
  readonly #more: HTMLButtonElement;
  readonly #output: HTMLOutputElement;
  readonly #min: number;
  #value: number;
  #max = Number.POSITIVE_INFINITY;

  constructor({ label, value, min, onChange }: StepperOptions) {
    this.#value = value;
    this.#min = min;
    const button = (sign: string, name: string, by: 1 | -1) =>
      element('button', {
        type: 'button',
        textContent: sign,
        'aria-label': `${name}: ${label}`,
        onclick: () => {
          if (!this.#isAllowed(by)) return;
          this.value += by;
          onChange(this.#value);
        },
      });
    this.#less = button('−', 'One less', -1);
    this.#more = button('+', 'One more', 1);
    this.#output = element('output');
    this.element = element(
      'div',
      { className: 'stepper', role: 'group', 'aria-label': label },
      this.#less,
      this.#output,
      this.#more,
    );
    this.#show();
  }

  get value(): number {
    return this.#value;
  }

  set value(value: number) {
    this.#value = value;
    this.#show();
  }

  set max(max: number) {
    this.#max = max;
    this.#show();
  }

  #isAllowed(by: 1 | -1): boolean {
    return by < 0 ? this.#value > this.#min : this.#value < this.#max;
  }

  #show(): void {
    this.#output.textContent = String(this.#value);
    // A disabled button would lose the focus.
    this.#less.setAttribute('aria-disabled', String(!this.#isAllowed(-1)));
    this.#more.setAttribute('aria-disabled', String(!this.#isAllowed(1)));
  }
}
