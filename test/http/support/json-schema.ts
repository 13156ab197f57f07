import { z } from 'zod';

/** The parts of JSON Schema that the registry's schemas come to. */
export interface Schema {
  readonly type?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly propertyNames?: Schema | undefined;
  readonly items?: Schema | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
}

const Schema: z.ZodType<Schema> = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  get anyOf() {
    return z.array(Schema).optional();
  },
  get oneOf() {
    return z.array(Schema).optional();
  },
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional();
  },
  get propertyNames() {
    return Schema.optional();
  },
  get items() {
    return Schema.optional();
  },
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
});

const known = new WeakMap<z.ZodType, Schema>();

/** What a zod schema takes, as JSON Schema: the same object each time. */
export function schemaOf(schema: z.ZodType): Schema {
  const converted =
    known.get(schema) ??
    Schema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  known.set(schema, converted);
  return converted;
}

/** The fields of an object's schema. */
export function fieldsOf(schema: Schema): [string, Schema][] {
  return Object.entries(schema.properties ?? {});
}
