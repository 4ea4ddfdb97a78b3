import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import file from '../standard/opendelivery-1.7.1.json' with { type: 'json' };

const when = (key: string, value: string, then: readonly string[]) => ({
  if: { properties: { [key]: { const: value } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: then },
});

/** An order with what the standard says in words: REQUIRED if. */
const orderOfKind = {
  allOf: [
    { $ref: '#/components/schemas/Order' },
    when('type', 'DELIVERY', ['delivery', 'customer']),
    when('type', 'TAKEOUT', ['takeout']),
    when('type', 'INDOOR', ['indoor']),
    when('orderTiming', 'SCHEDULED', ['schedule']),
    {
      properties: {
        payments: { properties: { methods: { items: when('method', 'CASH', ['changeFor']) } } },
        indoor: when('mode', 'PLACE', ['place']),
        discounts: { items: when('target', 'ITEM', ['targetId']) },
        otherFees: { items: when('receivedBy', 'MARKETPLACE', ['receiverDocument']) },
      },
    },
  ],
};

const schemas = { ...file.components.schemas, OrderOfKind: orderOfKind };

const ajv = new Ajv({ strictTypes: false, allErrors: true });
ajv.addVocabulary(['openapi', 'info', 'components', 'discriminator']);
ajv.addSchema({ $id: 'standard', ...file, components: { schemas } });
formats.default(ajv);
// Of numbers; and the standard's spelling of `uri`.
for (const name of ['decimal', 'float', 'double', 'URI']) ajv.addFormat(name, true);

/** What the published standard (v1.7.1) says about a document: an empty array if it is valid. */
export function faultsByStandard(name: keyof typeof schemas, document: unknown): string[] {
  const validate = ajv.getSchema(`standard#/components/schemas/${name}`) as ValidateFunction;
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
