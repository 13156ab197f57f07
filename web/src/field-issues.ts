import { ApiError } from '../../engine/client/index.ts';

/** The API's message about one field of a request, `handle`; `undefined` if it has none. */
export function issueOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues.find(({ path }) => path === field || path.startsWith(`${field}.`))?.message;
}
