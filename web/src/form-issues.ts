import { type FieldPath, type FieldValues, get, type UseFormReturn } from 'react-hook-form';
import { ApiError } from '../../engine/client/error.ts';
import type { Parsed } from './read-input.ts';

/** A reason at one field of a form why it could not be sent. */
export class FieldIssue extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Sends the values of a valid form; what fails is shown at its fields (`placeIssues`).
 * @returns the handler of the form's submission, or of another button that sends it.
 */
export function sending<V extends FieldValues>(
  form: UseFormReturn<V>,
  send: (values: V) => Promise<unknown>,
  fieldOf?: (path: string) => string,
) {
  return form.handleSubmit(async (values) => {
    try {
      await send(values);
    } catch (error) {
      placeIssues(form, error, fieldOf);
    }
  });
}

/**
 * Shows a failed write at the fields that its issues name, and focuses the first; the rest of it above the
 * form's button.
 * @param fieldOf field of the form for a path of the API's body; default the path itself.
 */
function placeIssues<V extends FieldValues>(
  form: UseFormReturn<V>,
  error: unknown,
  fieldOf: (path: string) => string = (path) => path,
): void {
  const issues =
    error instanceof ApiError
      ? error.issues
      : error instanceof FieldIssue
        ? [{ path: error.field, message: error.message }]
        : [];
  let isFirst = true;
  const elsewhere: string[] = [];
  for (const { path, message } of issues) {
    const field = fieldOf(path);
    if (get(form.getValues(), field) === undefined) elsewhere.push(`${path} ${message}`.trim());
    else {
      form.setError(
        field as FieldPath<V>,
        { message: sentence(message) },
        { shouldFocus: isFirst },
      );
      isFirst = false;
    }
  }
  const text = error instanceof Error ? error.message : String(error);
  const root = issues.length === 0 ? [text] : elsewhere;
  if (root.length > 0) form.setError('root', { message: root.map(sentence).join(' ') });
}

/** The message of the API about one field of its input; `undefined` if the field is not the reason of the error. */
export function issueAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))
    ?.message;
}

/** The message at a field of a form. */
export function problemOf<V extends FieldValues>(
  { formState }: UseFormReturn<V>,
  name: FieldPath<V>,
): string | undefined {
  const error: { readonly message?: unknown } | undefined = get(formState.errors, name);
  const message = error?.message;
  return typeof message === 'string' && message !== '' ? message : undefined;
}

/** Properties of a field's control: its value, id and issue. `check` returns why a text is invalid. */
export function inputOf<V extends FieldValues>(
  form: UseFormReturn<V>,
  name: FieldPath<V>,
  check?: (text: string) => string | undefined,
) {
  const validate = (value: unknown) => check?.(String(value)) ?? true;
  return { ...form.register(name, { validate }), id: name, problem: problemOf(form, name) };
}

/** A check that accepts an empty text, for fields that may be left out. */
export function optional<T>(
  parse: (text: string) => Parsed<T>,
): (text: string) => string | undefined {
  return (text) => (text.trim() === '' ? undefined : parse(text).issue);
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.:?!]$/.test(text) ? '' : '.'}`;
