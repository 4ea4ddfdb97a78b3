import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The options of `tsconfig.json`, for a compiler that writes nothing. */
export function compilerOptions(): ts.CompilerOptions {
  const config = `${root}tsconfig.json`;
  const { compilerOptions } = ts.readConfigFile(config, ts.sys.readFile).config;
  const once = { ...compilerOptions, incremental: false, tsBuildInfoFile: null };
  return ts.convertCompilerOptionsFromJson(once, dirname(config)).options;
}

/** In this folder, packages are found as from the sources. */
const DECLARATIONS = join(root, 'node_modules/.cache/declarations/');

/**
 * Every entry of the package, as its consumers get it: what is spread or inferred has comments in the sources only.
 * A compiler that checks nothing writes the declarations in two seconds.
 */
export function declarations(): ts.Program {
  const entries = Object.values(compilerOptions().paths ?? {}).flat();
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      ...{ noEmit: false, incremental: false, tsBuildInfoFile: null, noCheck: true, stripInternal: true },
      ...{ declaration: true, emitDeclarationOnly: true, rootDir: join(root, 'src'), outDir: DECLARATIONS },
    },
    files: entries.map((entry) => join(root, entry)),
    include: [],
  };
  mkdirSync(DECLARATIONS, { recursive: true });
  writeFileSync(join(DECLARATIONS, 'tsconfig.json'), JSON.stringify(config));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc'), '-p', DECLARATIONS]);
  return ts.createProgram(
    entries.map((entry) => join(DECLARATIONS, relative('src', entry).replace(/ts$/, 'd.ts'))),
    compilerOptions(),
  );
}

/**
 * What has no description: the types that the entry files export, and the properties of every interface and object type that
 * they lead to, as `Type.property (file)`. Parameters and results are described by the docstring of their function.
 */
export function undocumented(program: ts.Program): string[] {
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  const seen = new Set<ts.Symbol>();

  const targetOf = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  const follow = (symbol: ts.Symbol | undefined, isValue = false): void => {
    if (!symbol) return;
    const target = targetOf(symbol);
    if (seen.has(target)) return;
    seen.add(target);
    for (const declaration of target.declarations ?? []) {
      if (!isOurs(declaration) || ts.isTypeParameterDeclaration(declaration)) continue;
      visit(declaration, { path: target.name, isNamed: true, canConstruct: isValue });
      if (!ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration)) continue;
      for (const property of propertiesOf(checker.getDeclaredTypeOfSymbol(target))) {
        check(property, `${target.name}.`);
      }
    }
  };

  const check = (property: ts.Symbol, path: string): void => {
    const file = property.declarations?.find(isOurs)?.getSourceFile().fileName;
    if (file === undefined || property.getDocumentationComment(checker).length > 0) return;
    const name = property.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]');
    found.add(`${path}${name} (${relative(DECLARATIONS, file)})`);
  };

  const visit = (node: ts.Node, place: Place): void => {
    if (ts.isBlock(node) || isPrivate(node) || isInitializer(node)) return;
    if (ts.isConstructorDeclaration(node) && !place.canConstruct) return;
    let { path, isNamed } = place;
    if (isProperty(node)) {
      const property = checker.getSymbolAtLocation(node.name);
      if (isNamed && property) check(property, `${path}.`);
      path = `${path}.${node.name.getText()}`;
    }
    if (ts.isTypeReferenceNode(node)) follow(checker.getSymbolAtLocation(node.typeName));
    if (ts.isExpressionWithTypeArguments(node)) follow(checker.getSymbolAtLocation(node.expression));
    if (isCallable(node) || ts.isVariableDeclaration(node)) isNamed = false;
    ts.forEachChild(node, (child) => visit(child, { ...place, path, isNamed }));
  };

  for (const entry of program.getRootFileNames()) {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${entry} has no exports`);
    for (const symbol of checker.getExportsOfModule(module)) {
      follow(symbol, !isTypeOnly(symbol));
      if (targetOf(symbol).flags & ts.SymbolFlags.Type) check(targetOf(symbol), '');
    }
  }
  return [...found].sort();
}

interface Place {
  readonly path: string;
  /** Not within the parameters or the result of a function. */
  readonly isNamed: boolean;
  /** The class is exported as a value, so its constructor is public. */
  readonly canConstruct: boolean;
}

const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(DECLARATIONS);

/** Fields and methods of a type, and fields of a class. */
const isProperty = (node: ts.Node) =>
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isGetAccessorDeclaration(node);

const isCallable = (node: ts.Node) => ts.isFunctionLike(node) && !ts.isGetAccessorDeclaration(node);

const propertiesOf = (type: ts.Type): ts.Symbol[] =>
  type.isUnionOrIntersection()
    ? type.types.flatMap(propertiesOf)
    : type.isClass() || !(type.flags & ts.TypeFlags.Object)
      ? []
      : type.getProperties();

const isTypeOnly = (symbol: ts.Symbol) => symbol.declarations?.some(ts.isTypeOnlyExportDeclaration) ?? false;

const isPrivate = (node: ts.Node) =>
  ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name);

/** Of a variable or a property, only the type is public. */
const isInitializer = ({ parent, pos }: ts.Node) =>
  parent !== undefined &&
  (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)) &&
  parent.initializer?.pos === pos;
