/** Ring again while a new order waits, because nobody may have heard it. */
const RING_AGAIN_MS = 30_000;

/** Rings for new orders. The person's choice is kept in this browser. */
export class Sound {
  #context;
  #lastRingAt = Number.NEGATIVE_INFINITY;
  #choice;
  #hint;

  /** @param hint - shown while the browser does not allow sound. */
  constructor(choice, hint) {
    this.#choice = choice;
    this.#hint = hint;
    choice.checked = localStorage.getItem('sound') !== 'off';
    choice.addEventListener('change', () => {
      localStorage.setItem('sound', choice.checked ? 'on' : 'off');
      if (choice.checked) this.#ring();
      this.#showHint();
    });
    // Browsers allow sound only after the person has used the page. Not at `pointerdown`: the hint disappears, and
    // the button would move away before the click.
    for (const name of ['click', 'keydown']) {
      document.addEventListener(name, () =>
        this.#open()
          .resume()
          .then(() => this.#showHint()),
      );
    }
    this.#open().addEventListener('statechange', () => this.#showHint());
    this.#showHint();
  }

  /** @param hasMore - whether an order is new since the last call; otherwise it rings only now and then. */
  newOrders(count, hasMore) {
    if (count === 0 || !this.#choice.checked) return;
    if (hasMore || performance.now() - this.#lastRingAt >= RING_AGAIN_MS) this.#ring();
  }

  #ring() {
    const context = this.#open();
    if (context.state !== 'running') return;
    this.#lastRingAt = performance.now();
    [880, 1175, 880].forEach((frequency, index) => {
      const from = context.currentTime + index * 0.25;
      const tone = new OscillatorNode(context, { frequency });
      const volume = new GainNode(context, { gain: 0.4 });
      volume.gain.setValueAtTime(0.4, from);
      volume.gain.exponentialRampToValueAtTime(0.001, from + 0.24);
      tone.connect(volume).connect(context.destination);
      tone.start(from);
      tone.stop(from + 0.25);
    });
  }

  #open() {
    this.#context ??= new AudioContext();
    return this.#context;
  }

  #showHint() {
    this.#hint.hidden = !this.#choice.checked || this.#open().state === 'running';
  }
}
