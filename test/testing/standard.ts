import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import standard from '../fixtures/standard-orders.json' with { type: 'json' };

const ajv = new Ajv({ schemas: [{ $id: 'standard', ...standard }], strictTypes: false, allErrors: true });
formats.default(ajv);
// Of numbers; and the standard's spelling of `uri`.
for (const name of ['decimal', 'float', 'URI']) ajv.addFormat(name, true);

/** What the published standard (v1.7.1) says about a document: an empty array if it is valid. */
export function faultsByStandard(name: keyof typeof standard.definitions, document: unknown): string[] {
  const validate = ajv.getSchema(`standard#/definitions/${name}`) as ValidateFunction;
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
