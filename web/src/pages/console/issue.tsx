import { messageOf } from '../../issues.ts';

interface Props {
  readonly error: Error | null;
  /** Fields that show their own message. */
  readonly shownAt?: readonly string[];
}

/** The message of a failed change, unless a field shows it. */
export function Issue({ error, shownAt = [] }: Props) {
  const message = messageOf(error, shownAt);
  if (message === undefined) return null;
  return (
    <p className="issue" role="alert">
      {message}
    </p>
  );
}
