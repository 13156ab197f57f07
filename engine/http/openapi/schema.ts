import { z } from 'zod';
import { schemaNames } from '../../contract/names.ts';

/** JSON object of the OpenAPI document. */
export type JsonObject = Record<string, unknown>;

const COMPONENTS = '#/components/schemas/';

/**
 * Schemas of one OpenAPI document, as JSON Schema 2020-12, the dialect of OpenAPI 3.1. Each named schema is
 * a component, and everything else refers to it.
 */
export class SchemaSet {
  readonly #components = new Map<string, JsonObject>();

  /**
   * Converts a zod schema, and adds the named schemas in it to the components.
   * @throws Error if a named schema is not the same in requests and in responses.
   */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const { $schema: _dialect, $defs = {}, ...json } = z.toJSONSchema(schema, { io, metadata });
    for (const [name, component] of Object.entries($defs)) this.add(name, refer(component));
    return refer(json);
  }

  /**
   * Adds a component.
   * @returns the reference to it.
   * @throws Error if the name belongs to another schema.
   */
  add(name: string, component: JsonObject): JsonObject {
    // Some generators name types by their titles alone.
    const titled = 'properties' in component ? { title: name, ...component } : component;
    const known = this.#components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(titled)) {
      throw new Error(`${name} names two different schemas: give one of them another name.`);
    }
    this.#components.set(name, titled);
    return { $ref: `${COMPONENTS}${name}` };
  }

  /** The schema that a reference names; any other schema is returned as it is. */
  resolve(json: JsonObject): JsonObject {
    const { $ref } = json;
    if (typeof $ref !== 'string') return json;
    return this.#components.get($ref.slice(COMPONENTS.length)) ?? json;
  }

  /** All components, by name. */
  all(): Record<string, JsonObject> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Descriptions of zod's own registry, with the names that this project gives. */
class Metadata extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get<S extends z.core.$ZodType>(schema: S) {
    const found = { ...z.globalRegistry.get(schema), ...schemaNames.get(schema) };
    return Object.keys(found).length > 0 ? found : undefined;
  }
}

const metadata = new Metadata();

/** Schema with its references to definitions as references to components. */
function refer(json: object): JsonObject {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', `"${COMPONENTS}`));
}
