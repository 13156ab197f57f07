import { z } from 'zod';

/** A JSON object of the document. */
export type Json = Record<string, unknown>;

/** A schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io });
  return json;
}
