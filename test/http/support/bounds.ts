import type { Schema } from './json-schema.ts';

/** Values at the bounds of a field that it takes, and next to them that it does not. */
export interface Bounds {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** Bodies are cut at 64 KiB: longer text is another test's. */
const MAX_TEXT = 50_000;

/**
 * The bounds of a schema, ±1, and values of wrong types.
 * @param asText whether the field travels as text, where `1` and `"1"` are the same.
 */
export function boundsOf(schema: Schema, asText: boolean): Bounds {
  if (schema.anyOf ?? schema.oneOf) return { good: [], bad: asText ? [] : [[[]]] };
  if ('const' in schema) return { good: [schema.const], bad: ['no such constant'] };
  if (schema.enum) return { good: schema.enum, bad: ['NO_SUCH', '', ...typed(asText, [1, null])] };
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numberBounds(schema, asText);
    case 'string':
      return textBounds(schema, asText);
    case 'boolean':
      return { good: [true, false], bad: ['yes', 'TRUE', ...typed(asText, [0, null, 'true'])] };
    case 'array':
      return arrayBounds(schema, asText);
    case 'object':
      return { good: [], bad: asText ? ['x', '{'] : ['x', 1, null, []] };
    default:
      return { good: [], bad: [] };
  }
}

function numberBounds({ type, minimum, maximum }: Schema, asText: boolean): Bounds {
  const least = minimum === undefined ? [] : [minimum];
  const most = maximum === undefined ? [] : [maximum];
  return {
    good: [...least, ...most],
    bad: [
      ...least.map((n) => n - 1),
      // Beyond the safe integers, the next one is another.
      ...most.map((n) => (n >= Number.MAX_SAFE_INTEGER ? '9007199254740992' : n + 1)),
      ...(type === 'integer' ? [1.5] : []),
      ...['x', ...typed(asText, ['1', null, true, []])],
    ],
  };
}

function textBounds({ pattern, minLength, maxLength, format }: Schema, asText: boolean): Bounds {
  const free = pattern === undefined && format === undefined;
  const repeat = (length: number) => 'a'.repeat(length);
  const most = maxLength !== undefined && maxLength < MAX_TEXT ? [maxLength] : [];
  return {
    good: free ? [...(minLength ? [minLength] : []), ...most].map(repeat) : [],
    bad: [
      ...most.map((n) => repeat(n + 1)),
      ...(minLength && free ? [repeat(minLength - 1)] : []),
      ...(free ? [] : [pattern && new RegExp(pattern).test('?\u00e9 ') ? undefined : '?\u00e9 ']),
      ...typed(asText, [1, null, true, {}]),
    ].filter((value) => value !== undefined),
  };
}

function arrayBounds({ items = {}, minItems, maxItems }: Schema, asText: boolean): Bounds {
  const item = items.enum?.[0] ?? (items.type === 'string' && !items.pattern ? 'a' : undefined);
  const of = (length: number) => Array.from({ length }, () => item);
  const wrongItem = boundsOf(items, asText).bad.filter(
    (value) => typeof value !== 'string' || (value !== '' && !value.includes(',')),
  );
  return {
    good: [],
    bad: [
      ...(maxItems !== undefined && item !== undefined ? [of(maxItems + 1)] : []),
      ...(minItems ? [[]] : []),
      ...wrongItem.slice(0, 2).map((value) => [value]),
      ...typed(asText, ['x', 1, null, {}]),
    ],
  };
}

function typed(asText: boolean, values: readonly unknown[]): readonly unknown[] {
  return asText ? [] : values;
}
