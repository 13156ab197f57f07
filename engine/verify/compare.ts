import {
  type CheckName,
  type CoverageTable,
  isCompared,
  isNotCompared,
  receiptCoverage,
} from '../core/receipt-coverage.ts';
import type { JsonValue, UncomparedField } from './types.ts';

/** A field of the receipt that differs from the chain. */
export type FieldDifference = {
  readonly field: string;
  readonly chain: string;
  readonly served: string;
};

/** A value computed from the chain; `undefined` where something could not be read. */
export type ChainValue =
  | JsonValue
  | undefined
  | readonly ChainValue[]
  | { readonly [key: string]: ChainValue };

/**
 * Fields of a receipt, computed from the chain. A member that is there and `undefined` could not be read; one
 * that is not there has no value on the chain.
 */
export type ChainValues = { readonly [key: string]: ChainValue };

/** The result of comparing a whole receipt with the chain, by check. */
export interface Comparison {
  readonly differences: ReadonlyMap<CheckName, readonly FieldDifference[]>;
  /** Fields whose value on the chain is not known. */
  readonly unread: ReadonlyMap<CheckName, readonly string[]>;
  readonly notCompared: readonly UncomparedField[];
}

/** Largest number of fields that a result names although the table does not know them. */
const MAX_UNKNOWN_FIELDS = 20;

/**
 * Compares every field of a served receipt with the chain, as `receiptCoverage` says. A field of the
 * receipt that the table does not know is listed as not compared.
 * @param only the fields that this comparison is about; default: all of the table.
 */
export function compareReceipt(
  chain: ChainValues,
  served: unknown,
  only?: readonly string[],
): Comparison {
  const found = {
    differences: new Map<CheckName, FieldDifference[]>(),
    unread: new Map<CheckName, string[]>(),
    notCompared: [] as UncomparedField[],
  };
  const unknown: string[] = [];
  const table: CoverageTable = receiptCoverage;
  compareTable(only === undefined ? table : pick(table, only), '', chain, served);
  const shown = unknown.slice(0, MAX_UNKNOWN_FIELDS);
  for (const field of shown) {
    found.notCompared.push({ field, reason: 'This verifier does not know the field.' });
  }
  if (unknown.length > shown.length) {
    const reason = `${unknown.length - shown.length} more that this verifier does not know.`;
    found.notCompared.push({ field: 'other fields', reason });
  }
  return found;

  function compareTable(
    entries: CoverageTable,
    at: string,
    chainAt: ChainValue,
    servedAt: unknown,
  ) {
    const members = fieldsOf(servedAt) ?? {};
    for (const [name, entry] of Object.entries(entries)) {
      const field = at === '' ? name : `${at}.${name}`;
      const value = isObject(chainAt) ? chainAt[name] : undefined;
      if (isNotCompared(entry)) {
        found.notCompared.push({ field, reason: entry.reason });
      } else if (!isCompared(entry)) {
        compareTable(entry, field, value, members[name]);
      } else if (entry.isNullUnknown && members[name] === null) {
        found.notCompared.push({ field, reason: 'The service says that it does not know it.' });
      } else if (isObject(chainAt) && !Object.hasOwn(chainAt, name)) {
        // The chain has no such value: a token without a name.
        if (members[name] !== undefined) {
          const difference = { field, chain: 'nothing', served: show(members[name]) };
          add(found.differences, entry.check, [difference]);
        }
      } else {
        const same = entry.isText ? sameText : sameValue;
        add(found.differences, entry.check, differences(field, value, members[name], same));
        add(found.unread, entry.check, unreadIn(field, value));
      }
    }
    if (only !== undefined) return;
    for (const name of Object.keys(members)) {
      if (!Object.hasOwn(entries, name)) unknown.push(show(at === '' ? name : `${at}.${name}`));
    }
  }
}

function pick(table: CoverageTable, names: readonly string[]): CoverageTable {
  return Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name)));
}

function add<T>(lists: Map<CheckName, T[]>, check: CheckName, more: readonly T[]): void {
  lists.set(check, [...(lists.get(check) ?? []), ...more]);
}

function unreadIn(field: string, value: ChainValue): string[] {
  if (value === undefined) return [field];
  if (isList(value)) return value.flatMap((entry, i) => unreadIn(`${field}[${i}]`, entry));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) => unreadIn(`${field}.${name}`, entry));
}

type Scalar = string | number | boolean | null;
type Same = (chain: Scalar, served: unknown) => boolean;

/**
 * The differences between the chain's value of a field and the served one, recursively. A member that the
 * chain's value lacks is a difference; one that could not be read (`undefined`) is none.
 */
export function differences(
  field: string,
  chain: ChainValue,
  served: unknown,
  same: Same = sameValue,
): FieldDifference[] {
  if (chain === undefined) return [];
  if (chain === null || typeof chain !== 'object') {
    return same(chain, served) ? [] : [{ field, chain: show(chain), served: show(served) }];
  }
  if (isList(chain)) {
    if (!Array.isArray(served) || served.length !== chain.length) {
      return [{ field, chain: showList(chain), served: showList(served) }];
    }
    return chain.flatMap((entry, i) => differences(`${field}[${i}]`, entry, served[i], same));
  }
  const fields = fieldsOf(served);
  if (fields === undefined) return [{ field, chain: show(chain), served: show(served) }];
  const nameOf = (name: string) => (field === '' ? name : `${field}.${name}`);
  const added = Object.keys(fields).filter((name) => !Object.hasOwn(chain, name));
  return [
    ...Object.entries(chain).flatMap(([name, value]) =>
      differences(nameOf(name), value, fields[name], same),
    ),
    ...added.map((name) => ({
      field: show(nameOf(name)),
      chain: 'nothing',
      served: show(fields[name]),
    })),
  ];
}

/** The members of a JSON object; `undefined` for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

const HEX = /^0x[0-9a-f]*$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * True if two values are equal, with hex in any case, times with or without a fraction of zeros, and
 * integers as digits or as numbers.
 */
function sameValue(chain: Scalar, served: unknown): boolean {
  if (chain === served) return true;
  if (isNumeric(chain) && isNumeric(served) && typeof chain !== typeof served) {
    return [chain, served].every(isWholeNumber) && String(chain) === String(served);
  }
  if (typeof chain !== 'string' || typeof served !== 'string') return false;
  if (HEX.test(chain) && HEX.test(served)) return chain.toLowerCase() === served.toLowerCase();
  if (TIME.test(chain) && TIME.test(served)) return withoutZeros(chain) === withoutZeros(served);
  return false;
}

function isNumeric(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isWholeNumber(value: string | number): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** A time without a fraction that is zero: `Date.parse` would also ignore digits after the milliseconds. */
function withoutZeros(time: string): string {
  return time.replace(/\.0+Z$/, 'Z');
}

/** True if two texts are identical: text of a merchant may look like hex. */
export function sameText(chain: Scalar, served: unknown): boolean {
  return chain === served;
}

/** Largest number of characters of a value in evidence: a receipt may come from anyone. */
const SHOWN_CHARACTERS = 200;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** A list for a sentence: events by their names, anything else as it is. */
function showList(list: unknown): string {
  if (!Array.isArray(list)) return show(list);
  const names = list.slice(0, SHOWN_CHARACTERS).map((entry) => fieldsOf(entry)?.name);
  if (!names.every((name) => typeof name === 'string')) return show(list);
  return show(`${list.length} (${names.join(', ')})`);
}

function isList(value: ChainValue): value is readonly ChainValue[] {
  return Array.isArray(value);
}

function isObject(value: ChainValue): value is { readonly [key: string]: ChainValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
