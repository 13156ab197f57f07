import type { JsonValue } from './types.ts';

/** A field of the receipt that differs from the chain. */
export type FieldDifference = {
  readonly field: string;
  readonly chain: string;
  readonly served: string;
};

type Scalar = string | number | boolean | null;
type Same = (chain: Scalar, served: unknown) => boolean;

/**
 * The differences between the chain's value of a field and the served one, recursively. Members that the
 * chain's value lacks are ignored: a receipt may have more fields than the chain proves.
 */
export function differences(
  field: string,
  chain: JsonValue,
  served: unknown,
  same: Same = sameFigure,
): FieldDifference[] {
  if (chain === null || typeof chain !== 'object') {
    return same(chain, served) ? [] : [{ field, chain: show(chain), served: show(served) }];
  }
  if (isList(chain)) {
    if (!Array.isArray(served) || served.length !== chain.length) {
      return [{ field, chain: show(chain), served: show(served) }];
    }
    return chain.flatMap((entry, i) => differences(`${field}[${i}]`, entry, served[i], same));
  }
  const fields = fieldsOf(served);
  if (fields === undefined) return [{ field, chain: show(chain), served: show(served) }];
  return Object.entries(chain).flatMap(([name, value]) =>
    differences(field === '' ? name : `${field}.${name}`, value, fields[name], same),
  );
}

/** The members of a JSON object; `undefined` for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

const HEX = /^0x[0-9a-f]*$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** True if two values are equal, with hex in any case and times with or without a fraction. */
function sameFigure(chain: Scalar, served: unknown): boolean {
  if (chain === served) return true;
  if (typeof chain === 'boolean' || chain === null) return false;
  if (typeof served !== 'string' && typeof served !== 'number') return false;
  const [a, b] = [String(chain), String(served)];
  if (HEX.test(a) && HEX.test(b)) return a.toLowerCase() === b.toLowerCase();
  if (TIME.test(a) && TIME.test(b)) return Date.parse(a) === Date.parse(b);
  return a === b;
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

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
