/**
 * JSON with one record on each line, so that a change shows as the records that changed.
 * @param levels number of outer levels whose items have a line each; 1 for a list of records.
 */
export function jsonLines(value: unknown, levels: number, indent = ''): string {
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent} `;
  const items = Array.isArray(value)
    ? value.map((one) => jsonLines(one, levels - 1, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${JSON.stringify(name)}: ${jsonLines(one, levels - 1, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${indent}${close}`;
}
