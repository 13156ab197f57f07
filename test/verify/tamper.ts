/** A receipt with one thing changed. */
export interface Tampered {
  /** Which thing, as `policy.weightsBps[2]`. */
  readonly what: string;
  readonly receipt: unknown;
}

/** Every receipt that differs from a good one in one value, or in one entry of a list. */
export function tamperings(receipt: unknown): Tampered[] {
  return changes(receipt).map(({ path, value }) => ({
    what: path
      .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
      .join('')
      .slice(1),
    receipt: replaced(receipt, path, value),
  }));
}

type Path = readonly (string | number)[];
interface Change {
  readonly path: Path;
  readonly value: unknown;
}

function changes(value: unknown, path: Path = []): Change[] {
  if (Array.isArray(value)) {
    return [
      { path, value: [...value, value.at(-1) ?? 'more'] },
      ...(value.length > 0 ? [{ path, value: value.slice(0, -1) }] : []),
      ...(value.length > 1 ? [{ path, value: [...value].reverse() }].filter(differs(value)) : []),
      ...value.flatMap((entry, i) => changes(entry, [...path, i])),
    ];
  }
  if (typeof value === 'object' && value !== null) {
    const inside = Object.entries(value).flatMap(([key, entry]) => changes(entry, [...path, key]));
    const added = { path: [...path, 'injected'], value: 'in full' };
    return path.length === 0 ? [added, ...inside] : [{ path, value: undefined }, added, ...inside];
  }
  const others = value === null ? [undefined] : [null, undefined];
  const changed = [...lies(value), ...others].filter((lie) => lie !== value);
  return changed.map((lie) => ({ path, value: lie }));
}

/** Values near the true one. */
function lies(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1, `${value}.0`];
  if (typeof value === 'boolean') return [!value, String(value)];
  if (typeof value !== 'string') return ['1'];
  if (/^[0-9]+$/.test(value)) {
    return [(BigInt(value) + 1n).toString(), `0${value}`, `${value} `];
  }
  if (/^0x[0-9a-f]+$/i.test(value)) return [value.slice(0, -1) + (value.endsWith('0') ? '1' : '0')];
  if (/^\d{4}-.*Z$/.test(value)) {
    const later = new Date(Date.parse(value) + 1_000).toISOString();
    return [later, value.slice(0, -1), value.replace('.000Z', '.0001Z')];
  }
  return [`${value}x`];
}

function differs(original: unknown): (change: Change) => boolean {
  return ({ value }) => JSON.stringify(value) !== JSON.stringify(original);
}

function replaced(value: unknown, path: Path, put: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((entry, i) => (i === key ? replaced(entry, rest, put) : entry));
  }
  const fields: Record<string, unknown> = { ...Object(value) };
  return { ...fields, [key]: replaced(fields[key], rest, put) };
}
