import { z } from 'zod';
import type { Method } from '../contract/define.ts';
import type { Issue } from '../contract/envelope.ts';
import type { InputOf } from '../contract/types.ts';
import { ValidationError } from './errors.ts';

/** The parts of a request that hold input, before anything is known about them. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; `undefined` where the method reads none. */
  readonly body?: unknown;
}

/** The query of a method that takes none. */
const nothing = z.strictObject({});

/**
 * Reads a request by its method's schemas: path and query from text (specification, «Request
 * mapping rules» 1 and 2), the body as it is. All parts become one object.
 * @throws {ValidationError} with an issue for each field that is wrong, missing or unknown.
 */
export function decodeInput<M extends Method>(method: M, raw: RawInput): InputOf<M> {
  const { params, query = nothing, body } = method.input ?? {};
  const issues: Issue[] = [];
  const parts = [
    ...(params ? [parse(params, fromText(params, Object.entries(raw.params)), issues)] : []),
    parse(query, fromText(query, once(raw.query, issues)), issues),
    ...(body ? [parse(body, raw.body, issues)] : []),
  ];
  if (issues.length > 0) throw new ValidationError(firstOfEach(issues));
  // Each part was parsed by its own schema, and no two parts share a field.
  return Object.assign({}, ...parts) as InputOf<M>;
}

function parse(schema: z.ZodObject, value: unknown, issues: Issue[]): object {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  issues.push(...parsed.error.issues.flatMap(issuesOf));
  return {};
}

/** The first issue of each field: what follows from it helps nobody. */
function firstOfEach(issues: readonly Issue[]): Issue[] {
  const first = new Map<string, Issue>();
  for (const issue of issues) if (!first.has(issue.path)) first.set(issue.path, issue);
  return [...first.values()];
}

/** The fields that an issue is about: of unknown ones, each by its own name. */
function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key].join('.'),
      message: 'is not a field of this method',
    }));
  }
  return [{ path: path.join('.'), message: issue.message }];
}

/** The fields of a query, each of which may be given once. */
function once(query: URLSearchParams, issues: Issue[]): [string, string][] {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1) issues.push({ path: name, message: 'is given twice' });
  }
  return [...query.entries()];
}

/** Text as the type that its schema wants; what does not read as one is left for it to refuse. */
function fromText(
  schema: z.ZodObject,
  entries: readonly (readonly [string, string])[],
): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([name, text]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      return [name, field ? readText(kindOf(field), text) : text];
    }),
  );
}

function readText(kind: string, text: string): unknown {
  switch (kind) {
    case 'number':
      return /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
      return text === '' ? [] : text.split(',');
    case 'object':
      return parseJson(text);
    default:
      return text;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The type of a field, whether it is optional or not. */
function kindOf(field: z.core.$ZodType): string {
  const { def } = field._zod;
  if ('innerType' in def && isSchema(def.innerType)) return kindOf(def.innerType);
  return def.type;
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
