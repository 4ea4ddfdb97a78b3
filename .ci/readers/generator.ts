import * as z from 'zod';
import { hintsOf } from '../../src/schemas/wire.js';
import { type Field, fieldsOf } from './fields.js';

/** A document that gets a file of readers. */
export interface Document {
  /** Name of the file, and of the reader of the whole document. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** What there are many of: whole documents, the elements of their arrays, or nothing. Reading these is fast. */
  readonly many: 'documents' | 'elements' | 'nothing';
}

/** One constant of the generated code. */
interface Declaration {
  readonly name: string;
  readonly code: string;
  /** The declarations that the code uses. */
  readonly uses: ReadonlySet<Declaration>;
  /** Names of the documents that need it. */
  readonly documents: Set<string>;
}

/** The file of the readers that several documents need. */
const SHARED = 'shared';

/** Readers that exist once for all schemas, and the modules of `src/reading/` that export what generated code uses. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  fields: [
    'aliased',
    'decisive',
    'decisiveBySpec',
    'defaulted',
    'defaultOf',
    'expected',
    'expectedBySpec',
    'identifying',
    'optional',
    'required',
  ],
  'list-reader': ['areAll', 'areStrings', 'listOf'],
  'object-reader': ['objectReader'],
  reader: ['AN_OBJECT', 'type Reader', 'UNUSABLE'],
  'value-readers': ['boolean', 'id', 'isObject', 'number', 'objectOf', 'record', 'string', 'StringReader'],
};

/** Variables of the generated functions. */
const LOCALS = ['o', 'x', 'value', 'issues'];

/** Up to this many values are compared one by one; more are looked up in a set. */
const MAX_COMPARED = 8;

const HEADER = `// Generated from the schemas in src/schemas/ by \`npm run generate\`. Change the schemas or .ci/readers/ instead.`;

const quoted = (value: unknown) => JSON.stringify(value);
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const propertyOf = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? `o.${key}` : `o[${quoted(key)}]`);

/** Whether an object contains only strings, numbers, booleans, arrays of strings, and objects of these. */
function isFlat(schema: z.ZodObject): boolean {
  return fieldsOf(schema).every(({ schema: inner }) => {
    if (inner instanceof z.ZodObject) return isFlat(inner);
    if (inner instanceof z.ZodArray) return inner.element instanceof z.ZodString;
    return inner instanceof z.ZodString || inner instanceof z.ZodNumber || inner instanceof z.ZodBoolean;
  });
}

/**
 * Writes the readers of documents as TypeScript, one file per document.
 *
 * An object schema becomes a table of its fields, which are read by the
 * functions of `src/reading/fields.ts`. The schema of objects that there are
 * many of becomes straight code: a value is compared first and read only if it
 * is not simply valid. V8 optimizes code that always sees objects of one shape,
 * and only that is as fast as `JSON.parse`.
 */
export class ReaderGenerator {
  readonly #names: ReadonlyMap<z.ZodType, string>;
  /** By what they read: the schema of an object, otherwise their code. */
  readonly #declarations = new Map<unknown, Declaration>();
  readonly #taken = new Set([...Object.values(MODULES).flat(), ...LOCALS]);
  readonly #repeated = new Set<z.ZodType>();
  #used = new Set<Declaration>();

  /** @param names - names of the readers of object schemas; the others are named after the key under which they are. */
  constructor(names: ReadonlyMap<z.ZodType, string>) {
    this.#names = names;
  }

  /** The unformatted content of each file, by its name without extension. */
  generate(documents: readonly Document[]): Map<string, string> {
    for (const { schema, many } of documents)
      if (many !== 'nothing') this.#findRepeated(schema, many === 'documents');
    for (const { name, schema } of documents) {
      this.#used = new Set();
      this.#readerOf(schema, name);
      for (const declaration of this.#used) mark(declaration, name);
    }
    const fileOf = ({ documents }: Declaration) => (documents.size > 1 ? SHARED : String([...documents]));
    const files = new Map<string, Declaration[]>();
    for (const declaration of this.#declarations.values()) {
      const file = fileOf(declaration);
      files.set(file, [...(files.get(file) ?? []), declaration]);
    }
    return new Map([...files].map(([name, content]) => [name, fileWith(content, fileOf)]));
  }

  /** Remembers the objects that there are many of: the elements of arrays, and what is in them. */
  #findRepeated(schema: z.ZodType, isRepeated: boolean): void {
    if (schema instanceof z.ZodArray) this.#findRepeated(schema.element as z.ZodType, true);
    if (!(schema instanceof z.ZodObject)) return;
    if (isRepeated) this.#repeated.add(schema);
    for (const field of fieldsOf(schema)) this.#findRepeated(field.schema, isRepeated);
  }

  /** The expression of the reader of a schema. */
  #readerOf(schema: z.ZodType, name: string): string {
    if (schema instanceof z.ZodObject) return this.#declareObject(schema, name);
    if (schema instanceof z.ZodArray) return this.#declareArray(schema, name);
    if (schema instanceof z.ZodString) return this.#declareString(schema, name);
    if (schema instanceof z.ZodNumber) return 'number';
    if (schema instanceof z.ZodBoolean) return 'boolean';
    if (schema instanceof z.ZodRecord) return 'record';
    throw new TypeError(`no reader for ${schema.constructor.name}`);
  }

  #declareString(schema: z.ZodType, name: string): string {
    const { values, spellings, format, isId, bySpec } = hintsOf(schema);
    if (!values && !format) return isId ? 'id' : 'string';
    const rules = quoted({ ...(values && { values: [...values] }), spellings, format, isId, bySpec });
    return this.#declareCall(
      `new StringReader(${rules})`,
      format && !isId ? `${format}${bySpec ? 'BySpec' : ''}` : name,
    );
  }

  #declareArray(schema: z.ZodArray, name: string): string {
    const { spreadKey, keepsEmpty, isWhole } = hintsOf(schema);
    const element = this.#readerOf(schema.element as z.ZodType, name);
    const options = spreadKey || isWhole ? `, ${quoted({ spreadKey, keepsEmpty, isWhole })}` : '';
    return this.#declareCall(`listOf(${element}${options})`, `${element}List`);
  }

  #declareDefault({ fallback: value, bySpec }: Field): string {
    const name = typeof value === 'string' ? value : Array.isArray(value) ? 'defaultArray' : 'defaultObject';
    if (bySpec) return this.#declareCall(`defaultOf(${quoted(value)}, 'spec')`, `${name}BySpec`);
    return this.#declareCall(`defaultOf(${quoted(value)})`, name);
  }

  /** Declares a constant. Bundlers remove the call if the constant is not used. */
  #declareCall(call: string, name: string): string {
    return this.#declare(call, name, () => `/* @__PURE__ */ ${call}`);
  }

  #declareObject(schema: z.ZodObject, name: string): string {
    return this.#declare(schema, this.#names.get(schema) ?? name, (own) => {
      const { bareKey } = hintsOf(schema);
      const more = bareKey ? `, ${quoted(bareKey)}` : '';
      if (!this.#repeated.has(schema)) {
        const rows = fieldsOf(schema).map((field) => this.#fieldRow(field, own));
        return `/* @__PURE__ */ objectReader({ ${rows.join(', ')} }${more})`;
      }
      const fields = fieldsOf(schema).map((field) => this.#fieldCode(field, own));
      return `{
        expects: AN_OBJECT,
        read(value, issues) {
          const o = objectOf(value, issues${more});
          if (o === undefined) return UNUSABLE;
          let x: unknown;
          ${fields.join('\n')}
          return o;
        },
      }`;
    });
  }

  /**
   * A function that returns whether an object has nothing to read. An object in
   * a repeated one is checked with it first: reading it would note its path.
   */
  #declareCheck(schema: z.ZodObject, reader: string): string {
    // A schema and its shape have one reader and one check.
    return this.#declare(schema.shape, `is${capitalized(reader)}`, () => {
      const tests = fieldsOf(schema).map((field) => {
        const inner = this.#readerOf(field.schema, `${reader}${capitalized(field.key)}`);
        return `x = ${propertyOf(field.key)};\nif (${this.#needsReading(field, inner)}) return false;`;
      });
      return `(o: unknown) => {
        if (!isObject(o)) return false;
        let x: unknown;
        ${tests.join('\n')}
        return true;
      }`;
    });
  }

  /** A row of the table for `objectReader`. */
  #fieldRow(field: Field, owner: string): string {
    const { key, schema, presence, aliases } = field;
    const row: string[] = [presence, this.#readerOf(schema, `${owner}${capitalized(key)}`)];
    if (presence === 'defaulted') row.push(this.#declareDefault(field));
    if (aliases.length > 0) row.push(quoted(aliases));
    return `${quoted(key)}: [${row.join(', ')}]`;
  }

  #fieldCode(field: Field, owner: string): string {
    const { key, schema, presence, aliases } = field;
    const reader = this.#readerOf(schema, `${owner}${capitalized(key)}`);
    const args = ['o', 'x', quoted(key), reader, 'issues'];
    if (presence === 'defaulted') args.push(this.#declareDefault(field));
    if (aliases.length > 0) args.push(presence, quoted(aliases));
    const call = `${aliases.length > 0 ? 'aliased' : presence}(${args.join(', ')})`;
    const mayFail = presence === 'required' || presence === 'identifying' || presence.startsWith('decisive');
    const test = this.#needsReading(field, reader);
    const read = mayFail
      ? `if (${[test, `!${call}`].filter(Boolean).join(' && ')}) return UNUSABLE;`
      : `${call};`;
    return `x = ${propertyOf(key)};\n${test === '' || mayFail ? read : `if (${test}) ${read}`}`;
  }

  /** A condition that is false only if `x` is valid and need not be read; empty if `x` is always read. */
  #needsReading({ schema, presence, fallback, aliases }: Field, reader: string): string {
    const test = this.#isDeviating(schema, reader);
    const isOptional = (presence === 'optional' || presence === 'decisive') && aliases.length === 0;
    // The default of a format is the commonest value, and comparing is faster.
    const usual = hintsOf(schema).format && fallback !== undefined ? `x !== ${quoted(fallback)}` : '';
    return [isOptional ? 'x !== undefined' : '', usual, test].filter(Boolean).join(' && ');
  }

  #isDeviating(schema: z.ZodType, reader: string): string {
    if (schema instanceof z.ZodObject && isFlat(schema)) return `!${this.#declareCheck(schema, reader)}(x)`;
    if (schema instanceof z.ZodNumber) return '!Number.isFinite(x)';
    if (schema instanceof z.ZodBoolean) return `typeof x !== 'boolean'`;
    if (schema instanceof z.ZodArray && schema.element instanceof z.ZodString) {
      const { values, format } = hintsOf(schema.element);
      if (!values && !format) return '!areStrings(x)';
      return `!areAll(x, ${this.#readerOf(schema.element, reader)})`;
    }
    if (!(schema instanceof z.ZodString)) return '';
    const { values, format } = hintsOf(schema);
    if (!values && !format) return `typeof x !== 'string'`;
    if (!values || format || values.size > MAX_COMPARED) return `!${reader}.accepts(x)`;
    return [...values].map((value) => `x !== ${quoted(value)}`).join(' && ');
  }

  /** Declares a constant, once for each identity. Returns its name. */
  #declare(identity: unknown, name: string, codeOf: (name: string) => string): string {
    let declaration = this.#declarations.get(identity);
    if (!declaration) {
      const own = this.#unique(name);
      const outer = this.#used;
      this.#used = new Set();
      declaration = { name: own, code: codeOf(own), uses: this.#used, documents: new Set() };
      this.#used = outer;
      this.#declarations.set(identity, declaration);
    }
    this.#used.add(declaration);
    return declaration.name;
  }

  #unique(name: string): string {
    let unique = name;
    for (let count = 2; this.#taken.has(unique); count += 1) unique = `${name}${count}`;
    this.#taken.add(unique);
    return unique;
  }
}

/** Adds a document to those that need the declaration and everything that it uses. */
function mark(declaration: Declaration, document: string): void {
  declaration.documents.add(document);
  for (const used of declaration.uses) mark(used, document);
}

/** The content of a file: imports, then the declarations, each after those that it uses. */
function fileWith(content: readonly Declaration[], fileOf: (declaration: Declaration) => string): string {
  const code = content.map((declaration) => declarationCode(declaration)).join('\n\n');
  // Not a key and not within a string.
  const uses = (name: string) => new RegExp(`(?<![.'"\\w])${name.replace('type ', '')}\\b`).test(code);
  const own = new Set(content);
  const shared = new Set(content.flatMap((each) => [...each.uses]).filter((each) => !own.has(each)));
  const imports = Object.entries(MODULES).map(([module, names]): [path: string, names: string[]] => [
    `../${module}.js`,
    names.filter(uses),
  ]);
  for (const file of new Set([...shared].map(fileOf)))
    imports.push([
      `./${file}.js`,
      [...shared]
        .filter((each) => fileOf(each) === file)
        .map(({ name }) => name)
        .sort(),
    ]);
  const lines = imports
    .filter(([, names]) => names.length > 0)
    .map(([path, names]) => `import { ${names.join(', ')} } from '${path}';`);
  return `${HEADER}\n\n${lines.join('\n')}\n\n${code}\n`;
}

function declarationCode({ name, code, documents }: Declaration): string {
  const type = code.startsWith('{') || /\b(?:listOf|objectReader)\(/.test(code) ? ': Reader' : '';
  const isUsedElsewhere = documents.size > 1 || documents.has(name);
  return `${isUsedElsewhere ? 'export ' : ''}const ${name}${type} = ${code};`;
}
