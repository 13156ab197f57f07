import type { Method } from '../contract/define.ts';

/** A method's input as an HTTP request. */
export interface RequestParts {
  /** Path and query, without the base URL. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

type Fields = Map<string, unknown>;

/**
 * Maps an input to its request (specification, «Request mapping rules»): placeholders are filled
 * from the fields of their name; the rest is the query of a GET, arrays joined by commas and other
 * objects as JSON; the JSON body of a write, or the one nested object that is its payload, alone;
 * or the file of a form. The idempotency field travels as a header too. Fields that are undefined
 * are left out.
 * @throws TypeError where a placeholder has no field, or an item of a query's array has a comma.
 */
export function toRequest(method: Method, input: Readonly<Record<string, unknown>>): RequestParts {
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
  // The boundary of a form is the transport's to write.
  if (typeof body === 'string') headers['content-type'] = 'application/json';
  return { path, method: method.method, headers, body };
}

/** Fills the placeholders, and takes their fields out of the rest. */
function fillPath({ name, path, input }: Method, rest: Fields): string {
  const narrowed = input?.narrowed;
  const narrow = narrowed && Object.keys(narrowed.params.shape).every((field) => rest.has(field));
  return (narrow ? narrowed.path : path).replace(/:(\w+)/g, (_placeholder, field: string) => {
    const value = rest.get(field);
    if (value === undefined || value === '') throw new TypeError(`${name} needs ${field}.`);
    rest.delete(field);
    return encodeURIComponent(String(value));
  });
}

function toQuery(method: Method, rest: Fields): string {
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

function toBody({ name, input }: Method, rest: Fields): string | FormData | undefined {
  if (input?.multipart) return toForm(name, rest.get('file'));
  if (input?.payload !== undefined) return JSON.stringify(rest.get(input.payload));
  return input !== undefined && input.body === undefined && rest.size === 0
    ? undefined
    : JSON.stringify(Object.fromEntries(rest));
}

function toForm(name: string, file: unknown): FormData {
  if (!(file instanceof Blob)) throw new TypeError(`${name} needs file, a Blob or a File.`);
  const form = new FormData();
  form.append('file', file);
  return form;
}
