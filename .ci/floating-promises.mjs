/**
 * Finds promises that nobody waits for: their failure is lost, and a test cannot fail through one.
 *
 * A statement may `await` its promise, `.catch(…)` it, or say with `void` that nobody waits. Biome has such a rule, but
 * infers few types: it does not find `fc.assert(fc.asyncProperty(…))`, and does find `fc.assert(fc.property(…))`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript-7/unstable/ast';
import { API } from 'typescript-7/unstable/sync';

const root = fileURLToPath(new URL('..', import.meta.url));
/** `await …`, `void …` */
const HANDLED = new Set([SyntaxKind.AwaitExpression, SyntaxKind.VoidExpression]);

const PROJECTS = ['tsconfig', 'examples/storefront/tsconfig', 'src/testing/console/page/tsconfig'];

const [other] = process.argv.slice(2);
if (other) report(findingsIn(other));
else {
  const last = cached('floating-promises');
  // What tsc has written says whether a file, a package or a type has changed since the last run without findings.
  const known = ['tsconfig', 'storefront', 'console'].map((name) => cached(`${name}.tsbuildinfo`));
  const digest = digestOf([fileURLToPath(import.meta.url), ...known]);
  if (!existsSync(last) || readFileSync(last, 'utf8') !== digest) {
    report(PROJECTS.flatMap((name) => findingsIn(join(root, `${name}.json`))));
    if (!process.exitCode) writeFileSync(last, digest);
  }
}

function report(findings) {
  // A file can be in several projects.
  for (const finding of new Set(findings)) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}

function findingsIn(project) {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [project] });
    return snapshot.getProjects().flatMap((opened) => [...floatingIn(opened)]);
  } finally {
    api.close();
  }
}

function* floatingIn({ rootFiles, program, checker }) {
  const isThenable = new Map();
  for (const name of rootFiles) {
    const file = program.getSourceFile(name);
    const values = valuesIn(file);
    const types = values.length > 0 ? checker.getTypeAtLocation(values) : [];
    for (const [at, type] of types.entries()) {
      if (!isThenable.has(type.id)) isThenable.set(type.id, hasThen(type, checker));
      if (!isThenable.get(type.id)) continue;
      const { line } = file.getLineAndCharacterOfPosition(values[at].getStart(file));
      const text = values[at].getText(file).split('\n')[0];
      yield `${relative(root, name)}:${line + 1}: a ${checker.typeToString(type)} that nobody waits for: ${text}`;
    }
  }
}

/** The values that the statements of a file leave to nobody. */
function valuesIn(file) {
  const values = [];
  const visit = (node) => {
    if (node.kind === SyntaxKind.ExpressionStatement && !isHandled(node.expression))
      values.push(node.expression);
    node.forEachChild(visit);
  };
  visit(file);
  return values;
}

function isHandled(value) {
  if (HANDLED.has(value.kind)) return true;
  if (value.kind === SyntaxKind.BinaryExpression) return isAssignment(value.operatorToken.kind);
  if (value.kind !== SyntaxKind.CallExpression) return false;
  const { expression: callee, arguments: given } = value;
  // The runner of node:test waits for the tests of a file.
  if (callee.kind === SyntaxKind.Identifier) return callee.text === 'test';
  if (callee.kind !== SyntaxKind.PropertyAccessExpression) return false;
  const method = callee.name.text;
  return (method === 'catch' && given.length > 0) || (method === 'then' && given.length > 1);
}

function isAssignment(operator) {
  return operator >= SyntaxKind.FirstAssignment && operator <= SyntaxKind.LastAssignment;
}

function hasThen(type, checker) {
  const members = type.isUnionType() ? type.getTypes() : [type];
  return members.some((member) => checker.getPropertyOfType(member, 'then') !== undefined);
}

function cached(name) {
  return join(root, 'node_modules/.cache', name);
}
