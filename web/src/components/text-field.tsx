import type { TextareaHTMLAttributes } from 'react';
import styles from './field.module.css';

type Props = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> & {
  readonly id: string;
  readonly label: string;
  /** Beneath it: what is expected. */
  readonly hint?: string;
  /** Message about an invalid value. */
  readonly problem?: string | undefined;
};

/** A field for a text of several lines, with its label, a hint and its issue. */
export function TextField({ id, label, hint, problem, rows = 3, ...area }: Props) {
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        rows={rows}
        className={styles.input}
        aria-describedby={describedBy || undefined}
        aria-invalid={problem !== undefined || undefined}
      />
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
