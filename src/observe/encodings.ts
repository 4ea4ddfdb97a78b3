const replacing = (table: Readonly<Record<string, string>>) => (text: string) =>
  text.replace(/[^\w]/g, (character) => table[character] ?? character);

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');

const unicode = (character: string) => `\\u${hex(character)}`;

const upperUnicode = (character: string) => `\\u${hex(character).toUpperCase()}`;

/** @param more - characters to encode beside those of `encodeURIComponent`. */
const percent = (more: RegExp, blank: string) => (text: string) =>
  encodeURIComponent(text)
    .replace(more, (character) => `%${hex(character).slice(2).toUpperCase()}`)
    .replaceAll('%20', blank);

/** URLs and forms of JavaScript, RFC 3986, Python and PHP. */
const PERCENT = [
  encodeURI,
  encodeURIComponent,
  percent(/[!'()*]/g, '%20'),
  percent(/[!'()*]/g, '+'),
  percent(/[!'()~]/g, '+'),
  percent(/[!'()*~]/g, '+'),
];

const lowerHex = (text: string) => text.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase());

const json = (text: string) => JSON.stringify(text).slice(1, -1);

const escaping = (characters: RegExp) => (text: string) => json(text).replace(characters, unicode);

const withSlashes = (spell: (text: string) => string) => (text: string) => spell(text).replaceAll('/', '\\/');

const asciiJson = escaping(/[^ -~]/g);

/** Of PHP with JSON_HEX_TAG and the like, as Symfony sends it. */
const hexTags = (spell: (text: string) => string) => (text: string) =>
  spell(text)
    .replaceAll('\\"', unicode('"'))
    .replace(/[<>&']/g, upperUnicode);

/** JSON whose strings have more escapes: those of Python, Go, Gson, PHP and .NET. */
const JSONS = [
  json,
  asciiJson,
  escaping(/[<>&]/g),
  escaping(/[<>&'=]/g),
  ...[json, asciiJson, hexTags(json), hexTags(asciiJson)].map(withSlashes),
  (text: string) => text.replaceAll('\\', '\\\\').replace(/[^ -~]|["&'+<>`]/g, upperUnicode),
];

/**
 * HTML of Express, Rails and lodash · PHP · Django and Python · XML · Go (html, and html/template) · mustache.js · ASP.NET ·
 * Handlebars · validator.js · PHP before 8.1 · the text of an element
 */
const HTML = [
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&#x27;', '`': '&#x60;' },
  { '"': '&quot;', "'": '&#x27;', '/': '&#x2F;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
  { '"': '&quot;', "'": '&#x27;', '+': '&#x2B;', '`': '&#x60;' },
  { '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  { '"': '&quot;', "'": '&#x27;', '/': '&#x2F;', '\\': '&#x5C;', '`': '&#96;' },
  { '"': '&quot;' },
  {},
].map((table) => replacing({ '&': '&amp;', '<': '&lt;', '>': '&gt;', ...table }));

/** UTF-8 transmits a lone surrogate as U+FFFD. */
const inUtf8 = (text: string) => Buffer.from(text).toString();

/** The spellings of a secret in which it is masked: as it is and trimmed, each as UTF-8 transmits it. */
export function encodingsOf(secret: string): string[] {
  const trimmed = secret.trim() || secret;
  const transmitted = inUtf8(trimmed);
  const percents = PERCENT.map((encode) => encode(transmitted));
  const others = [...JSONS, ...HTML].map((encode) => encode(transmitted));
  return [trimmed, transmitted, ...percents, ...percents.map(lowerHex), ...others];
}

/** The credentials of `Authorization: Basic`, as they are and form-encoded (RFC 6749 §2.3.1). */
export function basicCredentialsOf(id: string, secret: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const form = (text: string) => percent(/[!'()~]/g, '+')(inUtf8(text));
  return [base64(`${id}:${secret}`), base64(`${form(id)}:${form(secret)}`)];
}
