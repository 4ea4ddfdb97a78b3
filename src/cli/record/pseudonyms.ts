import { createHmac, randomBytes } from 'node:crypto';
import type { Json, JsonValue } from '../../testing/fixtures.js';
import { isHarmless } from './harmless.js';

/** After this many tries an id becomes longer, because too many ids of its length are in use. */
const TRIES = 50;
const LONGEST_NUMBER = 15;

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const UUID_OR_SIGN = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|./gisu;
/** A string that has the shape of an id, a number or one word. */
const IS_ID = /^[\w.:/+()-]+(?: [\d().+-]+)*$/;
const LATITUDE = /lat(?:itude)?$/i;
const LONGITUDE = /(?:lng|lon|longitude)$/i;
const IS_DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** A name of a field is kept if it can hardly be data. */
const IS_FIELD = /^[A-Za-z_$][A-Za-z_$-]{0,40}\d{0,2}[A-Za-z_]{0,10}$/;

/**
 * Replaces what is about persons. Within one recording, the same value always gets the same pseudonym, in every field
 * and every document. The pseudonyms depend on a random key that only this object has, so a list of all telephone
 * numbers does not help to find one.
 */
export class Pseudonyms {
  readonly #key = randomBytes(32);
  /** The letters and digits of each id, in lower case, with those of its pseudonym. */
  readonly #ids = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #secrets = new Set<string>();

  /** A name of a field that contains this is replaced too. */
  addSecret(secret: string): void {
    if (secret !== '') this.#secrets.add(secret);
  }

  document(value: Json): Json {
    return this.#json(value, undefined) as Json;
  }

  /**
   * A UUID becomes a UUID, a digit a digit, a letter a letter of its case; separators stay. An e-mail address and a URL
   * become those of example.com. Any other string becomes 'Text' and a number.
   */
  of(text: string): string {
    if (text === '') return '';
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return `https://example.com/${this.#numbered(text)}`;
    if (/^\S+@\S+$/.test(text)) return `${this.#numbered(text)}@example.com`;
    return IS_ID.test(text) ? this.#id(text) : `Text ${this.#numbered(text)}`;
  }

  #json(value: JsonValue, field: string | undefined): JsonValue {
    if (isHarmless(field, value)) return value;
    if (typeof value === 'string') return this.#text(value, field);
    if (typeof value === 'number') return this.#number(value, field);
    if (Array.isArray(value)) return value.map((each) => this.#json(each, field));
    const entries = Object.entries(value as Json);
    // An amount has its currency beside it. A list of names and values that only this hub has can contain anything.
    const fieldOf = (name: string) =>
      name === 'value' && !('currency' in (value as Json)) ? undefined : name;
    return Object.fromEntries(
      entries.map(([name, each]) => [this.#field(name), this.#json(each, fieldOf(name))]),
    );
  }

  #text(value: string, field = ''): string {
    const isPosition = (LATITUDE.test(field) || LONGITUDE.test(field)) && IS_DECIMAL.test(value);
    return isPosition ? String(this.#number(Number(value), field)) : this.of(value);
  }

  #field(name: string): string {
    const isKept = IS_FIELD.test(name) && ![...this.#secrets].some((secret) => name.includes(secret));
    return isKept ? name : this.of(name);
  }

  #number(value: number, field = ''): number {
    // Not by digits: it must stay a position.
    if (LATITUDE.test(field)) return rounded(-30 + this.#share(value) * 25);
    if (LONGITUDE.test(field)) return rounded(-60 + this.#share(value) * 20);
    const digits = String(value);
    if (!IS_DECIMAL.test(digits)) return Math.round(this.#share(value) * 1e6);
    const replaced = this.#id(digits);
    return Number(replaced.replaceAll(/\D/g, '').length > LONGEST_NUMBER ? replaced.slice(0, -2) : replaced);
  }

  #id(text: string): string {
    const plain = plainOf(text);
    // Signs that are neither letters nor digits identify nobody.
    if (plain === '') return text;
    const known = this.#ids.get(plain) ?? this.#newId(plain, text);
    let at = 0;
    const shaped = text.replace(/[a-z\d]/gi, (sign) => {
      const replaced = known[at] as string;
      at += 1;
      return /[A-Z]/.test(sign) ? replaced.toUpperCase() : replaced;
    });
    return shaped + known.slice(at);
  }

  #newId(plain: string, text: string): string {
    const isHex = hexOf(text);
    for (let attempt = 0; ; attempt += 1) {
      const longer = Math.floor(attempt / TRIES);
      const bytes = this.#bytes(`id ${attempt} ${plain}`, plain.length + longer);
      const made = [...bytes]
        .map((byte, at) => signFor(plain[at] ?? '0', at, isHex[at] ?? 'no', byte))
        .join('');
      if (made === plain || this.#used.has(made)) continue;
      this.#used.add(made);
      this.#ids.set(plain, made);
      return made;
    }
  }

  /** The same for all spellings of a text that differ in case and spaces only. */
  #numbered(text: string): string {
    const same = text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
    return Buffer.from(this.#bytes(`text ${same}`, 6)).toString('hex');
  }

  /** From 0 to 1. */
  #share(value: number): number {
    const [high = 0, low = 0] = this.#bytes(`number ${value}`, 2);
    return (high * 256 + low) / 65_536;
  }

  #bytes(text: string, length: number): Uint8Array {
    const parts: Buffer[] = [];
    for (let part = 0; part * 32 < length; part += 1) {
      parts.push(createHmac('sha256', this.#key).update(`${part} ${text}`).digest());
    }
    return Buffer.concat(parts).subarray(0, length);
  }
}

const rounded = (degrees: number) => Math.round(degrees * 1e4) / 1e4;

const plainOf = (text: string) => text.replaceAll(/[^a-z\d]/gi, '').toLowerCase();

type Hex = 'yes' | 'kept' | 'no';

/** For each letter and digit, whether it belongs to a UUID; `kept`: it says which kind of UUID it is. */
function hexOf(text: string): Hex[] {
  const ofUuid = (uuid: string) =>
    [...plainOf(uuid)].map((_, at): Hex => (at === 12 || at === 16 ? 'kept' : 'yes'));
  if (UUID.test(text)) return ofUuid(text);
  return (text.match(UUID_OR_SIGN) ?? []).flatMap((part) =>
    part.length > 1 ? ofUuid(part) : plainOf(part) === '' ? [] : ['no' as const],
  );
}

function signFor(sign: string, at: number, hex: Hex, byte: number): string {
  if (hex === 'kept') return sign;
  if (hex === 'yes') return (byte % 16).toString(16);
  if (/\d/.test(sign)) return String(at === 0 ? 1 + (byte % 9) : byte % 10); // a number does not begin with 0
  return String.fromCharCode(97 + (byte % 26));
}
