import type * as z from 'zod';
import { jsonSchemaOf } from '../../testing/control-description.js';
import type { Json } from '../../testing/fixtures.js';
import { parseInput } from '../../testing/parse-input.js';

interface Row<Input> {
  /** For the assistant: what the tool does, and when to use it. */
  readonly does: string;
  /** Whether it only reads. */
  readonly isReadOnly?: boolean;
  /** Whether it sends requests to another machine. */
  readonly isOpenWorld?: boolean;
  /** A string is shown as it is, anything else as JSON. */
  run(input: Input): unknown;
}

/** A tool of the MCP server. `run` throws a TypeError that names each mistake of an invalid input. */
export interface Tool extends Row<unknown> {
  readonly name: string;
  /** JSON Schema of the input. */
  readonly input: Json;
}

export function tool<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  row: Row<z.output<Schema>>,
): Tool {
  return {
    ...row,
    name,
    input: jsonSchemaOf(schema, 'input'),
    run: (input) => row.run(parseInput(schema, input)),
  };
}
