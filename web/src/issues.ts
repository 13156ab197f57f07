import { ApiError } from '../../engine/client/index.ts';

/** The message of the API about one field; `undefined` if the field is not the reason of the error. */
export function issueAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))
    ?.message;
}

/** The message of an error, unless one of the fields that show their own already says it. */
export function messageOf(
  error: Error | null,
  shownAt: readonly string[] = [],
): string | undefined {
  if (error === null) return undefined;
  const isShown = shownAt.some((path) => issueAt(error, path) !== undefined);
  if (isShown) return undefined;
  const issues = error instanceof ApiError ? error.issues : [];
  return [error.message, ...issues.map(({ path, message }) => `${path} ${message}.`)].join(' ');
}
