import type { RequestShape } from './methods.ts';

/** Parts of an HTTP request. */
export interface RequestParts {
  /** Path and query, without the base URL. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

type Fields = Map<string, unknown>;

const PLACEHOLDER = /:\w+/g;

/**
 * Maps an input to its request (docs/reference/api.md#how-a-call-becomes-a-request). Fields fill the placeholders of
 * their name. The rest becomes the query of a GET (arrays joined by commas, other objects as JSON), the
 * JSON body of a write (or only its payload field), or the file of a form. The idempotency field is
 * also sent as a header. Fields that are undefined are omitted.
 * @throws {TypeError} if a placeholder has no field, or an item of a query's array has a comma.
 */
export function toRequest(
  method: RequestShape,
  input: Readonly<Record<string, unknown>>,
): RequestParts {
  const rest: Fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const key = method.idempotencyField === undefined ? undefined : rest.get(method.idempotencyField);
  const path = fillPath(method, rest);
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': String(key) }),
  };
  if (method.method === 'GET') {
    const query = toQuery(method, rest);
    return { path: path + query, method: 'GET', headers, body: undefined };
  }
  const body = toBody(method, rest);
  // The transport writes the boundary of a form.
  if (typeof body === 'string') headers['content-type'] = 'application/json';
  return { path, method: method.method, headers, body };
}

/** Fills the placeholders, and removes their fields from `rest`. */
function fillPath({ name, path, input }: RequestShape, rest: Fields): string {
  const narrowed = input.narrowed?.path;
  const isNarrow = narrowed?.match(PLACEHOLDER)?.every((field) => rest.has(field.slice(1)));
  return ((isNarrow && narrowed) || path).replace(PLACEHOLDER, (placeholder) => {
    const field = placeholder.slice(1);
    const value = rest.get(field);
    if (value === undefined || value === '') throw new TypeError(`${name} needs ${field}.`);
    rest.delete(field);
    return encodeURIComponent(String(value));
  });
}

function toQuery(method: RequestShape, rest: Fields): string {
  const query = new URLSearchParams();
  for (const [name, value] of rest) query.set(name, toText(value, `${method.name}: ${name}`));
  return query.size > 0 ? `?${query}` : '';
}

function toText(value: unknown, field: string): string {
  if (Array.isArray(value)) {
    const items = value.map(String);
    if (items.some((item) => item.includes(','))) {
      throw new TypeError(`${field} has an item with a comma, which would be read as two.`);
    }
    return items.join(',');
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function toBody({ name, input }: RequestShape, rest: Fields): string | FormData | undefined {
  if (input.multipart) return toForm(name, rest.get('file'));
  if (input.payload !== undefined) return JSON.stringify(rest.get(input.payload));
  return input.body === undefined && rest.size === 0
    ? undefined
    : JSON.stringify(Object.fromEntries(rest));
}

function toForm(name: string, file: unknown): FormData {
  if (!(file instanceof Blob)) throw new TypeError(`${name} needs file, a Blob or a File.`);
  const form = new FormData();
  form.append('file', file);
  return form;
}
