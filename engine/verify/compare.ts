import type { Json } from './types.ts';

/** A figure that is served otherwise than the chain has it. */
export type Difference = {
  readonly field: string;
  readonly chain: string;
  readonly served: string;
};

type Scalar = string | number | boolean | null;
type Same = (chain: Scalar, served: unknown) => boolean;

/**
 * Where `served` differs from what the chain has. Fields that the chain's side does not name are
 * not looked at: a receipt may carry more than its figures.
 */
export function differences(
  field: string,
  chain: Json,
  served: unknown,
  same: Same = sameFigure,
): Difference[] {
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

/** The fields of a JSON object; `undefined` for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

const HEX = /^0x[0-9a-f]*$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Whether two figures are one: hex in any case, a time with or without its fraction. */
function sameFigure(chain: Scalar, served: unknown): boolean {
  if (chain === served) return true;
  if (typeof chain === 'boolean' || chain === null) return false;
  if (typeof served !== 'string' && typeof served !== 'number') return false;
  const [a, b] = [String(chain), String(served)];
  if (HEX.test(a) && HEX.test(b)) return a.toLowerCase() === b.toLowerCase();
  if (TIME.test(a) && TIME.test(b)) return Date.parse(a) === Date.parse(b);
  return a === b;
}

/** Whether two texts are one, letter by letter: what a merchant wrote may look like hex. */
export function sameText(chain: Scalar, served: unknown): boolean {
  return chain === served;
}

/** Longest value that evidence repeats: a receipt may come from anybody. */
const SHOWN_CHARACTERS = 200;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
