import type { InputHTMLAttributes, ReactNode } from 'react';
import styles from './check.module.css';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  readonly label: ReactNode;
  /** Beneath the label: what it means. */
  readonly hint?: ReactNode;
  /** One of several of the same `name`; default is a box of its own. */
  readonly radio?: boolean;
};

/** A box to tick, or one choice of several, with its label next to it. */
export function Check({ label, hint, radio = false, ...input }: Props) {
  return (
    <label className={styles.check}>
      <input {...input} type={radio ? 'radio' : 'checkbox'} />
      <span>
        {label}
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  );
}
