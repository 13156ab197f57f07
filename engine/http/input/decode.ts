import { z } from 'zod';
import type { Method } from '../../contract/define.ts';
import type { Issue } from '../../contract/envelope.ts';
import type { InputOf } from '../../contract/types.ts';
import { invalidInput } from '../errors.ts';
import { sentenceOf } from './sentences.ts';

/** Parts of a request that contain input, before decoding. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; `undefined` if there was none. */
  readonly body?: unknown;
  /** File of a form, if the method accepts one. */
  readonly file?: Blob;
}

/** Schema of the query or body of a method that has none. */
const nothing = z.strictObject({});

/**
 * Decodes a request by its method's schemas (docs/reference/api.md#how-a-call-becomes-a-request): path and query from
 * text, the body as it is, under the name of its `payload` if it has one, and the file of a form. All
 * parts become one object.
 * @throws {HttpError} VALIDATION_FAILED with an issue for each field that is wrong, missing or unknown.
 */
export function decodeInput<M extends Method>(method: M, raw: RawInput): InputOf<M> {
  const { query = nothing, body, payload } = method.input;
  const params = paramsOf(method, raw.params);
  const issues: Issue[] = [];
  const parts: object[] = [
    ...(params ? [parse(params, fromText(params, Object.entries(raw.params)), issues)] : []),
    // Most requests for one thing have no query, and need none.
    ...(query === nothing && raw.query.size === 0
      ? []
      : [parse(query, fromText(query, once(raw.query, issues)), issues)]),
  ];
  if (body) {
    const parsed = parse(body, raw.body, issues);
    parts.push(payload === undefined ? parsed : { [payload]: parsed });
  } else if (raw.body !== undefined) {
    parse(nothing, raw.body, issues);
  }
  if (issues.length > 0) throw invalidInput(firstOfEach(issues));
  if (raw.file !== undefined) parts.push({ file: raw.file });
  // Each part was parsed by its own schema, and no two parts share a field.
  return Object.assign({}, ...parts) as InputOf<M>;
}

/** Schema of the requested path's placeholders: the narrower path's if all of its placeholders are given. */
function paramsOf({ input }: Method, params: RawInput['params']): z.ZodObject | undefined {
  const narrowed = input.narrowed?.params;
  const narrows =
    narrowed && Object.keys(narrowed.shape).every((name) => Object.hasOwn(params, name));
  return narrows ? narrowed : input.params;
}

function parse(schema: z.ZodObject, value: unknown, issues: Issue[]): object {
  const parsed = schema.safeParse(value, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  issues.push(...parsed.error.issues.flatMap(issuesOf));
  return {};
}

/** First issue of each field: the others usually follow from it. */
function firstOfEach(issues: readonly Issue[]): Issue[] {
  const first = new Map<string, Issue>();
  for (const issue of issues) if (!first.has(issue.path)) first.set(issue.path, issue);
  return [...first.values()];
}

/** Issues with the path of each field; unknown fields get one issue each. */
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

/** Fields of a query. Each may be given once. */
function once(query: URLSearchParams, issues: Issue[]): [string, string][] {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1) issues.push({ path: name, message: 'is given twice' });
  }
  return [...query.entries()];
}

/** Converts text to the type of its schema. Text of another form is left for the schema to reject. */
function fromText(
  schema: z.ZodObject,
  entries: readonly (readonly [string, string])[],
): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([name, text]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      return [name, field ? readText(bare(field), text) : text];
    }),
  );
}

function readText(field: z.core.$ZodType, text: string): unknown {
  switch (field._zod.def.type) {
    case 'number':
      return /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
      return readArray(field, text);
    case 'object':
    case 'record':
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

function readArray(field: z.core.$ZodType, text: string): unknown[] {
  const { def } = field._zod;
  const element = 'element' in def && isSchema(def.element) ? bare(def.element) : undefined;
  if (text === '') return [];
  return text.split(',').map((item) => (element ? readText(element, item) : item));
}

/** Schema of a field without its optional or nullable wrapper. */
function bare(field: z.core.$ZodType): z.core.$ZodType {
  const { def } = field._zod;
  return 'innerType' in def && isSchema(def.innerType) ? bare(def.innerType) : field;
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
