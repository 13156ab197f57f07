import type { Row } from '../sql.ts';

/** A row as the driver has it without names. */
type Values = readonly unknown[];

/** Makes the object of a row. */
type ToObject = (values: Values) => Row;

/** Functions by the names of the columns, which the text of a statement has. */
const byNames = new Map<string, ToObject>();
/** Functions by the description of a prepared statement's columns, which a connection has once. */
const byColumns = new WeakMap<object, ToObject>();

/** Maximum number of known lists of names. One more empties the map. */
const MAX_NAMES = 1_000;

/**
 * Replaces each row of an answer by an object. All rows of a statement have one shape, so that V8 keeps their columns in
 * a fixed order: to an empty object the driver would add them one by one, which makes a hash table of each row.
 * @param columns their names, in the order of the values.
 */
export function toObjects(rows: Values[], columns: readonly { readonly name: string }[]): Row[] {
  const toObject = byColumns.get(columns) ?? toObjectOf(columns.map(({ name }) => name));
  byColumns.set(columns, toObject);
  const objects: unknown[] = rows;
  for (const [i, values] of rows.entries()) objects[i] = toObject(values);
  return objects as Row[];
}

function toObjectOf(names: readonly string[]): ToObject {
  const texts = names.map((name) => JSON.stringify(name));
  const key = texts.join();
  const known = byNames.get(key);
  if (known !== undefined) return known;
  if (byNames.size >= MAX_NAMES) byNames.clear();
  const members = texts.map((text, i) => `${text}: values[${i}]`);
  const made = new Function('values', `return { ${members.join(', ')} };`) as ToObject;
  byNames.set(key, made);
  return made;
}
