import type { Arbitrary } from 'fast-check';
import fc from 'fast-check';

/** A JSON value with one random place changed. */
export interface Mutation {
  /** The changed place, as `policy.weightsBps.2`. */
  readonly place: string;
  readonly value: unknown;
}

type Path = readonly (string | number)[];

/** Values that a liar puts into a receipt, whatever was there. */
export const LIES: readonly unknown[] = [
  ...[null, true, false, 0, -0, 1, -1, 1e21, 2 ** 53, 0.1, '', ' ', '0', '1', '-1', '00', '1e3'],
  ...['0x', '0x0', '0X00', 'null', 'undefined', '[object Object]', '__proto__', 'USDC', '\u202e7'],
  ...['410000000', '9'.repeat(78), `0x${'f'.repeat(40)}`, `0x${'0'.repeat(64)}`, '2026-01-01'],
  ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0000001Z', '7', '７', 'finalized', 'claimed'],
  ...[[], {}, [[]], [null], { length: 1 }, ['7'], { toString: 'x' }, { 0: '7' }],
];

/** Random changes of a JSON value, each in one place. */
export function mutationsOf(original: unknown): Arbitrary<Mutation> {
  const places = placesIn(original);
  return fc
    .record({
      place: fc.constantFrom(...places),
      kind: fc.nat(7),
      lie: fc.oneof(fc.constantFrom(...LIES), fc.jsonValue()),
      at: fc.nat(),
      other: fc.constantFrom(...places),
    })
    .map(({ place, kind, lie, at, other }) => {
      const old = valueAt(original, place);
      const changed = [
        () => lie,
        () => nudged(old, at),
        () => undefined,
        () => valueAt(original, other),
        () => (Array.isArray(old) ? [...old, lie] : { ...Object(old), injected: lie }),
        () => (Array.isArray(old) ? [...old].reverse() : nudged(old, at + 1)),
        () => (Array.isArray(old) ? old.slice(0, -1) : String(old).toUpperCase()),
        () => (Array.isArray(old) ? [old] : [old, old]),
      ][kind]?.();
      return { place: place.join('.'), value: replacedAt(original, place, changed) };
    });
}

/** A value close to the old one: a digit, a letter or a bit of it changed. */
function nudged(old: unknown, at: number): unknown {
  if (typeof old === 'number') return old + (at % 3) - 1;
  if (typeof old === 'boolean') return !old;
  if (typeof old !== 'string' || old === '') return `${JSON.stringify(old)}`;
  const i = at % old.length;
  const digit = (Number.parseInt(old[i] ?? '0', 16) + 1) % 10;
  return `${old.slice(0, i)}${Number.isNaN(digit) ? '0' : digit}${old.slice(i + 1)}`;
}

function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, entry]) =>
    placesIn(entry, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? inside : [path, ...inside];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => Object(at)[key], value);
}

function replacedAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((entry, i) => (i === key ? replacedAt(entry, rest, put) : entry));
  }
  const fields: Record<string, unknown> = { ...Object(value) };
  return { ...fields, [key]: replacedAt(fields[key], rest, put) };
}

/**
 * What a reader sees in a JSON value, as text: equal for values that show the same amounts, addresses and times.
 * It shares no code with the comparison that it judges.
 */
export function shownAs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shownAs).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members
      .map(([name, member]) => `${name}:${shownAs(member)}`)
      .sort()
      .join()}}`;
  }
  const text = String(value);
  if (/^0x[0-9a-f]*$/i.test(text)) return text.toLowerCase();
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.0+Z$/, '$1Z');
}
