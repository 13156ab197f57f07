import { z } from 'zod';

/** JSON object of the OpenAPI document. */
export type JsonObject = Record<string, unknown>;

/** Converts a zod schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io });
  return json;
}
