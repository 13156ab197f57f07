import type { InputHTMLAttributes } from 'react';
import styles from './field.module.css';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> & {
  readonly id: string;
  readonly label: string;
  /** Beneath it: what is expected. */
  readonly hint?: string;
  /** Message about an invalid value. */
  readonly problem?: string | undefined;
};

/** A field with its label, a hint, and its issue, all of which a screen reader reads with it. */
export function Field({ id, label, hint, problem, ...input }: Props) {
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
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
