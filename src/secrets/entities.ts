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
export interface NameTree {
  /** By node and letter, the next node; 0 where there is none. The first node is the root. */
  readonly next: Int16Array;
  /** Code points that the name of a node can stand for. */
  readonly codes: ReadonlyArray<readonly number[] | undefined>;
}

const FIRST_LETTER = 0x30;
const LETTERS = 0x7b - FIRST_LETTER;

/** The node behind another one, or 0. */
export function nextNode({ next }: NameTree, node: number, letter: number): number {
  const at = letter - FIRST_LETTER;
  return at >= 0 && at < LETTERS ? (next[node * LETTERS + at] ?? 0) : 0;
}

let tree: NameTree | undefined;

/** Built when the first `&` is read. */
export function entityNames(): NameTree {
  if (tree) return tree;
  const names: Array<[name: string, code: number]> = [];
  for (const [character, several] of Object.entries(ASCII_NAMES)) {
    for (const name of several.split(' ')) names.push([name, character.charCodeAt(0)]);
  }
  for (const [at, name] of LATIN_NAMES.split(' ').entries()) names.push([name, 0xa0 + at]);
  const letters = names.reduce((sum, [name]) => sum + name.length, 1);
  const next = new Int16Array(letters * LETTERS);
  const codes: number[][] = [];
  let nodes = 1;
  for (const [name, code] of names) {
    let node = 0;
    for (let at = 0; at < name.length; at += 1) {
      const edge = node * LETTERS + name.charCodeAt(at) - FIRST_LETTER;
      if (next[edge] === 0) next[edge] = nodes++;
      node = next[edge] ?? 0;
    }
    codes[node] = [...(codes[node] ?? []), code];
  }
  tree = { next: next.slice(0, nodes * LETTERS), codes };
  return tree;
}
