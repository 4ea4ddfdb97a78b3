/** One way in which a hub may write a secret. Encoders can be composed. */
export type Encoder = (text: string) => string;

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
const points = (text: string) => [...text].map((each) => each.codePointAt(0) ?? 0);
const jsonString = (text: string) => JSON.stringify(text).slice(1, -1);
const percent = (text: string, kept: RegExp) =>
  [...Buffer.from(text)]
    .map((byte) => String.fromCharCode(byte))
    .map((each) => (kept.test(each) ? each : `%${hex(each.charCodeAt(0), 2)}`))
    .join('');

const NAMES: Readonly<Record<string, string>> = {
  '!': 'excl',
  '"': 'quot',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast',
  '+': 'plus',
  ',': 'comma',
  '-': 'hyphen',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt',
  '=': 'equals',
  '>': 'gt',
  '?': 'quest',
  '@': 'commat',
  '[': 'lbrack',
  '\\': 'bsol',
  ']': 'rbrack',
  '^': 'Hat',
  _: 'lowbar',
  '`': 'grave',
  '{': 'lbrace',
  '|': 'vert',
  '}': 'rbrace',
  é: 'eacute',
};

/** Escapes, which can be nested in any order. */
export const ESCAPES: Readonly<Record<string, Encoder>> = {
  plain: (text) => text,
  encodeURIComponent: (text) => encodeURIComponent(Buffer.from(text).toString()),
  encodeURI: (text) => encodeURI(Buffer.from(text).toString()),
  'escape()': escape,
  URLSearchParams: (text) => new URLSearchParams({ s: text }).toString().slice(2),
  'RFC 3986 in lower case': (text) => percent(text, /[\w.~-]/),
  'percent, every byte': (text) => percent(text, /^$/),
  'PERCENT, EVERY BYTE': (text) => percent(text, /^$/).toUpperCase(),
  JSON: jsonString,
  'JSON with escaped slashes': (text) => jsonString(text).replaceAll('/', '\\/'),
  'JSON in ASCII': (text) =>
    jsonString(text).replace(/[^ -~]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
  'JSON: .NET': (text) =>
    text
      .replaceAll('\\', '\\\\')
      .replace(/[^ -~]|["&'+<>`]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4).toUpperCase()}`),
  'JSON: every unit': (text) =>
    units(text)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(''),
  'JavaScript: every code point': (text) =>
    points(text)
      .map((point) => `\\u{${hex(point, 1)}}`)
      .join(''),
  'bytes as \\x': (text) => [...Buffer.from(text)].map((byte) => `\\x${hex(byte, 2)}`).join(''),
  HTML: (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&#34;')
      .replaceAll("'", '&#x27;'),
  'HTML: every character': (text) =>
    points(text)
      .map((point) => `&#${point};`)
      .join(''),
  'HTML: zeros': (text) =>
    points(text)
      .map((point) => `&#000${point};`)
      .join(''),
  'HTML: EVERY CHARACTER IN HEX': (text) =>
    points(text)
      .map((point) => `&#X${hex(point, 2).toUpperCase()};`)
      .join(''),
  'HTML: no semicolons': (text) =>
    points(text)
      .map((point) => `&#${point}`)
      .join(''),
  'HTML: names': (text) => [...text].map((each) => (NAMES[each] ? `&${NAMES[each]};` : each)).join(''),
};

/** Encodings of bytes, which are searched for secrets of four characters and more. */
export const CODINGS: Readonly<Record<string, Encoder>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of id:secret': (text) => Buffer.from(`1001:${text}`).toString('base64'),
  'base64 of a:secret:b': (text) => Buffer.from(`a:${text}:b`).toString('base64'),
  'base64 of the form that was sent': (text) =>
    Buffer.from(
      new URLSearchParams({ client_id: '1001', client_secret: text, grant_type: 'c' }).toString(),
    ).toString('base64'),
  'base64 of JSON': (text) => Buffer.from(JSON.stringify({ key: text })).toString('base64'),
  'base64 in lines': (text) => lines(Buffer.from(`{"a":"${text}"}`).toString('base64'), '\r\n'),
  'base64 behind letters': (text) => `auth/${Buffer.from(text).toString('base64')}`,
  hex: (text) => Buffer.from(text).toString('hex'),
  HEX: (text) => Buffer.from(`k=${text}`).toString('hex').toUpperCase(),
  'hex behind a digit': (text) => `0${Buffer.from(text).toString('hex')}`,
};

const lines = (text: string, lineBreak: string) => text.replace(/.{1,19}/g, `$&${lineBreak}`);

/** The ways to write one character. */
export const SPELLINGS: readonly Encoder[] = Object.values(ESCAPES);
