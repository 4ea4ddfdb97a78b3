/** What is read of a schema of an OpenAPI file. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly mapping?: Readonly<Record<string, string>> };
}

interface OpenApiFile {
  readonly info?: { readonly version?: string };
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> };
}

/** The schemas of one version of the standard. */
export class Standard {
  readonly #file: OpenApiFile;
  /** Each schema is resolved once, so that the same schema is always the same object. */
  readonly #resolved = new Map<JsonSchema, JsonSchema>();

  /** @param file - the content of an OpenAPI file, or of a part of it. */
  constructor(file: unknown) {
    this.#file = (file ?? {}) as OpenApiFile;
    if (!this.#file.components?.schemas)
      throw new TypeError('not an OpenAPI file: it has no components.schemas');
  }

  get version(): string {
    return this.#file.info?.version ?? 'of an unknown version';
  }

  /** Undefined if the standard has no schema of that name. */
  find(name: string): JsonSchema | undefined {
    return this.#file.components?.schemas?.[name];
  }

  /** @throws {TypeError} the standard has no schema of that name. */
  schemaOf(name: string): JsonSchema {
    const schema = this.find(name);
    if (!schema) throw new TypeError(`the standard has no schema ${name}`);
    return this.resolved(schema);
  }

  /**
   * The schema that a reference means, with the fields of all schemas that it is composed of. A field of `oneOf` or
   * `anyOf` is not required.
   */
  resolved(schema: JsonSchema): JsonSchema {
    const known = this.#resolved.get(schema);
    if (known) return known;
    const result = schema.$ref === undefined ? this.#composed(schema) : this.resolved(this.#at(schema.$ref));
    this.#resolved.set(schema, result);
    return result;
  }

  /** The schemas of the values of a discriminator, for a schema that has one; otherwise the schema itself. */
  variantsOf(schema: JsonSchema): readonly JsonSchema[] {
    const references = new Set(Object.values(schema.discriminator?.mapping ?? {}));
    return references.size === 0 ? [schema] : [...references].map(($ref) => ({ $ref }));
  }

  #composed({ allOf = [], oneOf = [], anyOf = [], discriminator: _, ...own }: JsonSchema): JsonSchema {
    const parts = [
      ...allOf.map((part) => this.resolved(part)),
      ...[...oneOf, ...anyOf].map((part) => ({ ...this.resolved(part), required: [] })),
    ];
    if (parts.length === 0) return own;
    const all = [...parts, own];
    return Object.assign({}, ...all, {
      properties: Object.assign({}, ...all.map(({ properties }) => properties)),
      required: [...new Set(all.flatMap(({ required = [] }) => required))],
    });
  }

  /** @param pointer - such as `#/components/schemas/Order`. */
  #at(pointer: string): JsonSchema {
    const found = pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], this.#file);
    if (typeof found !== 'object' || found === null)
      throw new TypeError(`the file has nothing at ${pointer}`);
    return found;
  }
}
