/** Names of HTML entities by the character they stand for; those of U+00A0 to U+00FF are in `LATIN_1_NAMES`. */
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

/** Names of the entities for U+00A0 to U+00FF, in this order. */
const LATIN_1_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr ' +
  'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest ' +
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ' +
  'ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** A trie of the names: text that is not a name is recognized after its first letters. Node 0 is the root. */
export interface NameTrie {
  /** The child, by node and letter; 0: the node has no child for it. */
  readonly children: Int16Array;
  /** The code points that a node's name stands for. */
  readonly codes: ReadonlyArray<readonly number[] | undefined>;
}

/** The names consist of the characters from `0` to `z`. */
const FIRST_LETTER = 0x30;
const LETTERS = 0x7b - FIRST_LETTER;

/** The child of a node for a letter; 0: it has no such child. */
export function childOf({ children }: NameTrie, node: number, letter: number): number {
  const index = letter - FIRST_LETTER;
  return index >= 0 && index < LETTERS ? (children[node * LETTERS + index] ?? 0) : 0;
}

let trie: NameTrie | undefined;

/** The trie, built at the first `&` that is read. */
export function entityNames(): NameTrie {
  if (trie) return trie;
  const names: Array<[name: string, code: number]> = [];
  for (const [character, itsNames] of Object.entries(ASCII_NAMES)) {
    for (const name of itsNames.split(' ')) names.push([name, character.charCodeAt(0)]);
  }
  for (const [index, name] of LATIN_1_NAMES.split(' ').entries()) names.push([name, 0xa0 + index]);
  const maxNodes = names.reduce((sum, [name]) => sum + name.length, 1);
  const children = new Int16Array(maxNodes * LETTERS);
  const codes: number[][] = [];
  let nodes = 1;
  for (const [name, code] of names) {
    let node = 0;
    for (let at = 0; at < name.length; at += 1) {
      const edge = node * LETTERS + name.charCodeAt(at) - FIRST_LETTER;
      if (children[edge] === 0) children[edge] = nodes++;
      node = children[edge] ?? 0;
    }
    codes[node] = [...(codes[node] ?? []), code];
  }
  trie = { children: children.slice(0, nodes * LETTERS), codes };
  return trie;
}
