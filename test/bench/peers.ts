import { Ajv } from 'ajv';
import { merchantSchema } from 'opendelivery-client/schemas';
import * as v from 'valibot';
import * as z from 'zod';

/** Libraries with which an application would check the parsed document. */
export interface Peers {
  readonly zodLoose: (document: unknown) => unknown;
  readonly valibot: (document: unknown) => unknown;
  readonly ajv: (document: unknown) => unknown;
}

/** Built from our schema, so that all check the same. Only our reader also checks formats and known values. */
export function peersOf(schema: z.ZodType = merchantSchema): Peers {
  const valibotSchema = valibotOf(schema);
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output' });
  const validate = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema);
  return {
    zodLoose: (document) => schema.safeParse(document),
    valibot: (document) => v.safeParse(valibotSchema, document),
    ajv: (document) => ({ document, valid: validate(document), errors: validate.errors }),
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
