import { ApiError } from '../../../engine/client/error.ts';

interface IssueProps {
  /** A failed call, or a message about an invalid value; nothing is shown without one. */
  readonly of: Error | string | null | undefined;
  /** Where a control refers to it. */
  readonly id?: string;
  /** In the size of a field's own texts. */
  readonly small?: boolean;
}

/** Says what is wrong; read out immediately. */
export function Issue({ of, id, small = false }: IssueProps) {
  const text = of instanceof Error ? messageOf(of) : of;
  if (!text) return null;
  return (
    <p id={id} className={small ? 'issue small' : 'issue'} role="alert">
      {text}
    </p>
  );
}

/** The message of an error, with the issues that the API names. */
function messageOf(error: Error): string {
  const issues = error instanceof ApiError ? error.issues : [];
  return [error.message, ...issues.map(({ path, message }) => `${path} ${message}.`)].join(' ');
}
