// Names of schemas that clients in other languages see as types (`components.schemas` of the OpenAPI document).
import { z } from 'zod';

const NAME = /^[A-Z][A-Za-z0-9]*$/;

/** Every named schema, by its name. */
export const schemaNames = z.registry<{ readonly id: string }>();

const taken = new Set<string>();

/**
 * Gives schemas their names in the OpenAPI document, where everything else refers to them by name. A
 * name is part of the interface: a client that was generated from the document has a type of that name.
 * @param schemas by name; `{ Token }` names the schema `Token`.
 * @throws Error if a name is taken or not in PascalCase, or if a schema has a name already.
 */
export function nameSchemas(schemas: Readonly<Record<string, z.ZodType>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    if (!NAME.test(name)) throw new Error(`The name ${name} of a schema is not in PascalCase.`);
    if (taken.has(name)) throw new Error(`Two schemas have the name ${name}.`);
    if (nameOf(schema) !== undefined)
      throw new Error(`${name} is named ${nameOf(schema)} already.`);
    taken.add(name);
    schemaNames.add(schema, { id: name });
  }
}

/** Name of a schema; `undefined` if it has none. A described or refined copy has none of its own. */
export function nameOf(schema: z.ZodType): string | undefined {
  return schemaNames.get(schema)?.id;
}
