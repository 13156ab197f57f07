/** Largest depth of objects and lists in each other; deeper values are refused. */
const MAX_DEPTH = 32;

/**
 * JSON without white space, the members of each object sorted by the UTF-16 units of their names
 * (RFC 8785). A bigint becomes a string of decimal digits; a member that is `undefined` is omitted.
 * @throws {RangeError} if the value is nested more than 32 deep.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) {
    return `[${value.map((entry) => canonicalJson(entry, depth + 1)).join(',')}]`;
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}
