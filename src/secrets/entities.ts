/** Characters that HTML encoders write by name; the names of U+00A0 to U+00FF follow in their order. */
const ASCII_NAMES: Readonly<Record<string, string>> = {
  '\t': 'Tab',
  '\n': 'NewLine',
  ' ': 'nbsp',
  '!': 'excl',
  '"': 'quot QUOT',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp AMP',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast midast',
  '+': 'plus',
  ',': 'comma',
  '-': 'hyphen dash minus',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt LT',
  '=': 'equals',
  '>': 'gt GT',
  '?': 'quest',
  '@': 'commat',
  '[': 'lsqb lbrack',
  '\\': 'bsol',
  ']': 'rsqb rbrack',
  '^': 'Hat',
  _: 'lowbar UnderBar',
  '`': 'grave',
  '{': 'lcub lbrace',
  '|': 'verbar vert VerticalLine',
  '}': 'rcub rbrace',
  '~': 'tilde',
  '€': 'euro',
};

const LATIN_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr ' +
  'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest ' +
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ' +
  'ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** The names letter by letter, so that a text that only looks like a name costs its first letters. */
export interface NameNode {
  readonly next: Map<number, NameNode>;
  /** Code points that this name can stand for. */
  readonly codes: number[];
}

let root: NameNode | undefined;

/** Built when the first `&` is read. */
export function entityNames(): NameNode {
  if (root) return root;
  const built: NameNode = { next: new Map(), codes: [] };
  const add = (name: string, code: number) => {
    let node = built;
    for (let at = 0; at < name.length; at += 1) {
      const letter = name.charCodeAt(at);
      const next = node.next.get(letter) ?? { next: new Map(), codes: [] };
      node.next.set(letter, next);
      node = next;
    }
    node.codes.push(code);
  };
  for (const [character, names] of Object.entries(ASCII_NAMES)) {
    for (const name of names.split(' ')) add(name, character.charCodeAt(0));
  }
  for (const [at, name] of LATIN_NAMES.split(' ').entries()) add(name, 0xa0 + at);
  root = built;
  return built;
}
