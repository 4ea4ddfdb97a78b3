/** The places of a source file at which one small change may go unnoticed by the tests. Pure: text in, changes out. */
import ts from 'typescript';

/**
 * @typedef {object} Mutation
 * @property {string} file
 * @property {string} kind
 * @property {number} line
 * @property {number} start - the changed part of the text begins here
 * @property {number} end
 * @property {string} before
 * @property {string} after
 */

const SWAPS = new Map([
  ['<', ['comparison', '<=']],
  ['<=', ['comparison', '<']],
  ['>', ['comparison', '>=']],
  ['>=', ['comparison', '>']],
  ['===', ['comparison', '!==']],
  ['!==', ['comparison', '===']],
  ['&&', ['logic', '||']],
  ['||', ['logic', '&&']],
  ['+', ['arithmetic', '-']],
  ['-', ['arithmetic', '+']],
  ['+=', ['arithmetic', '-=']],
  ['-=', ['arithmetic', '+=']],
]);

/** `as never`: what would not compile is drawn again, so that few kinds would remain. */
const NOTHING = 'undefined as never';

/**
 * Every mutation of a file, in the order of its text.
 *
 * @param {string} file
 * @param {string} text
 * @returns {Mutation[]}
 */
export function mutationsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Mutation[]} */
  const found = [];
  /** @type {(node: ts.Node) => void} */
  const visit = (node) => {
    // Types are gone at run time.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const [kind, part, after] of changesOf(node, source)) {
      const start = part.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ file, kind, line, start, end: part.end, before: part.getText(source), after });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((one, other) => one.start - other.start);
}

/**
 * @param {ts.Node} node
 * @param {ts.SourceFile} source
 * @returns {Iterable<readonly [kind: string, part: ts.Node, after: string]>}
 */
function* changesOf(node, source) {
  /** @type {(part: ts.Node) => string} */
  const textOf = (part) => part.getText(source);
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) {
    yield ['condition', node.expression, `!(${textOf(node.expression)})`];
  } else if (ts.isConditionalExpression(node)) {
    yield ['condition', node.condition, `!(${textOf(node.condition)})`];
  } else if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node;
    const [kind, operator] = SWAPS.get(textOf(operatorToken)) ?? [];
    // In parentheses, because `&&` binds more tightly than `||`.
    if (kind === 'logic') yield [kind, node, `(${textOf(left)} ${operator} ${textOf(right)})`];
    else if (kind !== undefined) yield [kind, operatorToken, /** @type {string} */ (operator)];
    else if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
      yield ['fallback', node, `(${textOf(left)})!`];
    }
  } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
    yield ['boolean', node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true'];
  } else if (ts.isNumericLiteral(node)) {
    const value = Number(textOf(node).replaceAll('_', ''));
    yield ['number', node, `${value + 1}`];
    yield ['number', node, value > 0 ? `${value - 1}` : '(-1)'];
  } else if (ts.isExpressionStatement(node) && isRemovableCall(node.expression)) {
    yield ['call', node, ';'];
  } else if (ts.isReturnStatement(node) && node.expression && textOf(node.expression) !== 'undefined') {
    yield ['return', node.expression, NOTHING];
  } else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
    yield ['return', node.body, `(${NOTHING})`];
  } else if (ts.isAwaitExpression(node)) {
    yield ['await', node, `(${textOf(node.expression)})`];
  }
}

/** @type {(expression: ts.Expression) => boolean} */
function isRemovableCall(expression) {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression)) {
    return isRemovableCall(expression.expression);
  }
  return ts.isCallExpression(expression) && expression.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

/**
 * The text of the file with the mutation.
 *
 * @param {string} text
 * @param {Mutation} mutation
 */
export const mutated = (text, { start, end, after }) => text.slice(0, start) + after + text.slice(end);

/**
 * All of them in a random order, the same for the same seed.
 *
 * @template T
 * @param {readonly T[]} all
 * @param {string} seed
 * @returns {T[]}
 */
export function shuffled(all, seed) {
  const random = randomOf(seed);
  const rest = [...all];
  for (let index = rest.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    const item = /** @type {T} */ (rest[index]);
    rest[index] = /** @type {T} */ (rest[other]);
    rest[other] = item;
  }
  return rest;
}

/**
 * Mulberry32 over an FNV-1a hash of the seed.
 *
 * @param {string} seed
 * @returns {() => number}
 */
function randomOf(seed) {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * How many were killed of how many, by folder, and the survivors.
 *
 * @param {readonly { file: string, line: number, kind: string, before: string, after: string, result: string }[]} results
 */
export function summaryOf(results) {
  /** @type {Map<string, { killed: number, drawn: number }>} */
  const folders = new Map();
  for (const { file, result } of results) {
    for (const name of [file.slice(0, file.lastIndexOf('/')), 'all']) {
      const { killed, drawn } = folders.get(name) ?? { killed: 0, drawn: 0 };
      folders.set(name, { killed: killed + (result === 'survived' ? 0 : 1), drawn: drawn + 1 });
    }
  }
  const rows = [...folders].sort(([one], [other]) =>
    one === 'all' ? 1 : other === 'all' ? -1 : one < other ? -1 : 1,
  );
  const survivors = results.filter(({ result }) => result === 'survived');
  return [
    ...rows.map(
      ([name, { killed, drawn }]) =>
        `${name.padEnd(32)} ${String(killed).padStart(4)} of ${String(drawn).padStart(4)}  ${Math.round((100 * killed) / drawn)} %`,
    ),
    ...survivors.map((each) => `survived: ${described(each)}`),
  ];
}

const MAX_SHOWN = 80;

/** @type {(text: string) => string} */
const short = (text) => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
};

/** @type {(mutation: { file: string, line: number, kind: string, before: string, after: string }) => string} */
export const described = ({ file, line, kind, before, after }) =>
  `${file}:${line} ${kind}: ${short(before)} → ${short(after)}`;
