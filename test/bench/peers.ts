import { merchantSchema } from 'opendelivery-client/schemas';
import * as z from 'zod';
import { importPeer, isInstalled } from './packages.js';

/** Libraries with which an application would check the parsed document, by name; only those that are installed. */
export type Checkers = ReadonlyMap<string, (document: unknown) => unknown>;

/** Built from our schema, so that all check the same. Only our reader also checks formats and known values. */
export async function checkersOf(schema: z.ZodType = merchantSchema): Promise<Checkers> {
  const checkers = new Map<string, (document: unknown) => unknown>();
  if (isInstalled('ajv')) checkers.set('ajv', await ajvOf(schema));
  if (isInstalled('valibot')) {
    const valibot = (await importPeer('valibot')) as Valibot;
    const valibotSchema = valibotOf(valibot, schema);
    checkers.set('valibot loose', (document) => valibot.safeParse(valibotSchema, document));
  }
  checkers.set('zod loose', (document) => schema.safeParse(document));
  return checkers;
}

interface Validate {
  (document: unknown): boolean;
  errors?: unknown;
}

async function ajvOf(schema: z.ZodType): Promise<(document: unknown) => unknown> {
  const { Ajv } = (await importPeer('ajv')) as {
    Ajv: new (options: object) => { compile(schema: object): Validate };
  };
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output' });
  const validate = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema);
  return (document) => ({ document, valid: validate(document), errors: validate.errors });
}

/** A schema of valibot; its types are not needed to convert ours. */
type Schema = object;

interface Valibot {
  optional(schema: Schema, fallback?: unknown): Schema;
  looseObject(fields: Readonly<Record<string, Schema>>): Schema;
  array(schema: Schema): Schema;
  number(): Schema;
  boolean(): Schema;
  string(): Schema;
  safeParse(schema: Schema, document: unknown): unknown;
}

function valibotOf(v: Valibot, schema: z.ZodType): Schema {
  if (schema instanceof z.ZodOptional) return v.optional(valibotOf(v, schema.unwrap() as z.ZodType));
  if (schema instanceof z.ZodDefault) {
    return v.optional(valibotOf(v, schema.unwrap() as z.ZodType), schema.def.defaultValue);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([key, field]) => [
      key,
      valibotOf(v, field as z.ZodType),
    ]);
    return v.looseObject(Object.fromEntries(fields) as Record<string, Schema>);
  }
  if (schema instanceof z.ZodArray) return v.array(valibotOf(v, schema.element as z.ZodType));
  if (schema instanceof z.ZodNumber) return v.number();
  if (schema instanceof z.ZodBoolean) return v.boolean();
  return v.string();
}
