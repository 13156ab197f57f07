import fc from 'fast-check';
import type { Schema } from './json-schema.ts';

/** Characters of a string, and items of a list, where the schema sets no bound. */
const MAX_LENGTH = 60;
const MAX_ITEMS = 4;

/** Values that a schema takes; what zod refines beyond it may refuse a few. */
export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(arbitraryOf));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
      return integerOf(schema);
    case 'number':
      return fc.double({
        min: schema.minimum ?? -1e9,
        max: schema.maximum ?? 1e9,
        noNaN: true,
        noDefaultInfinity: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrayOf(schema);
    case 'object':
      return objectOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Any code point, also half of a surrogate pair. To make fast-check's `binary` takes two seconds. */
const codePoint = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));

/** Values that no schema expects. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1.5, 1e21, '', ' ', '0', '-1', 'null', '__proto__'),
  fc.constantFrom<unknown>("' or 1=1--", '\0', '\ud800', '%00', '../..', '9'.repeat(90), [], {}),
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
);

function stringOf({ pattern, format, minLength = 0, maxLength }: Schema): fc.Arbitrary<unknown> {
  if (format === 'uri') return fc.webUrl();
  if (format === 'date-time') {
    const times = { min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true };
    return fc.date(times).map((date) => date.toISOString());
  }
  if (pattern !== undefined) {
    const found = matching(pattern);
    return maxLength === undefined ? found : found.filter((text) => text.length <= maxLength);
  }
  const most = Math.max(minLength, Math.min(maxLength ?? MAX_LENGTH, MAX_LENGTH));
  return fc.string({ minLength, maxLength: most, unit: 'grapheme-ascii' });
}

const ofPatterns = new Map<string, fc.Arbitrary<string>>();

/** Texts of a pattern. To make the arbitrary takes some milliseconds. */
function matching(pattern: string): fc.Arbitrary<string> {
  const made =
    ofPatterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern), { size: 'xsmall' });
  ofPatterns.set(pattern, made);
  return made;
}

function integerOf({ minimum, maximum }: Schema): fc.Arbitrary<unknown> {
  const min = Math.max(minimum ?? Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
  const max = Math.min(maximum ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return fc.oneof(
    fc.integer({ min: Math.min(max, Math.max(min, -10)), max: Math.max(min, Math.min(max, 40)) }),
    fc.bigInt({ min: BigInt(min), max: BigInt(max) }).map(Number),
    fc.constantFrom(min, max),
  );
}

function arrayOf({ items = {}, minItems = 0, maxItems }: Schema): fc.Arbitrary<unknown> {
  const maxLength = Math.max(minItems, Math.min(maxItems ?? MAX_ITEMS, MAX_ITEMS));
  return fc.array(arbitraryOf(items), { minLength: minItems, maxLength });
}

function objectOf(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const fields = Object.entries(properties);
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    const key = propertyNames ? stringOf(propertyNames).map(String) : fc.string({ maxLength: 9 });
    return fc.dictionary(key, arbitraryOf(additionalProperties), { maxKeys: MAX_ITEMS });
  }
  const model = Object.fromEntries(fields.map(([name, field]) => [name, arbitraryOf(field)]));
  return fc.record(model, { requiredKeys: [...required], noNullPrototype: true });
}
