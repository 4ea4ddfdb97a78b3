import { Ajv } from 'ajv';
import { merchantSchema } from 'opendelivery-client';
import * as v from 'valibot';
import * as z from 'zod';

/** What an application would check the document with; each takes the parsed document. */
export interface Peers {
  readonly zodLoose: (document: unknown) => unknown;
  readonly valibot: (document: unknown) => unknown;
  readonly ajv: (document: unknown) => unknown;
}

/** Made of our schema, so that all of them check the same; formats and values are checked by ours alone. */
export function peersOf(schema: z.ZodType = merchantSchema): Peers {
  const ofValibot = valibotOf(schema);
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output' });
  const ofAjv = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema);
  return {
    zodLoose: (document) => schema.safeParse(document),
    valibot: (document) => v.safeParse(ofValibot, document),
    ajv: (document) => ({ document, valid: ofAjv(document), errors: ofAjv.errors }),
  };
}

function valibotOf(schema: z.ZodType): v.GenericSchema {
  if (schema instanceof z.ZodOptional) return v.optional(valibotOf(schema.unwrap() as z.ZodType));
  if (schema instanceof z.ZodDefault) {
    return v.optional(valibotOf(schema.unwrap() as z.ZodType), schema.def.defaultValue as never);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([key, field]) => [key, valibotOf(field as z.ZodType)]);
    return v.looseObject(Object.fromEntries(fields));
  }
  if (schema instanceof z.ZodArray) return v.array(valibotOf(schema.element as z.ZodType));
  if (schema instanceof z.ZodNumber) return v.number();
  if (schema instanceof z.ZodBoolean) return v.boolean();
  return v.string();
}
