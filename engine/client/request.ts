import type { Method } from '../contract/define.ts';

/** A method's input as an HTTP request. */
export interface RequestParts {
  /** Path and query, without the base URL. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Maps an input to its request (specification, «Request mapping rules»): placeholders are filled
 * from the fields of their name; the rest is the query of a GET, arrays joined by commas and other
 * objects as JSON, and the JSON body of a write. Fields that are undefined are left out.
 * @throws TypeError where a placeholder has no field.
 */
export function toRequest(method: Method, input: Readonly<Record<string, unknown>>): RequestParts {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = method.path.replace(/:(\w+)/g, (_placeholder, name: string) => {
    const value = rest.get(name);
    if (value === undefined || value === '') throw new TypeError(`${method.name} needs ${name}.`);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const headers = { accept: 'application/json' };
  if (method.method === 'GET') {
    const query = new URLSearchParams();
    for (const [name, value] of rest) query.set(name, toText(value));
    return {
      path: query.size > 0 ? `${path}?${query}` : path,
      method: 'GET',
      headers,
      body: undefined,
    };
  }
  return {
    path,
    method: method.method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(rest)),
  };
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
