import type { ReactNode } from 'react';
import styles from './field.module.css';
import { Issue } from './issue.tsx';

/** Texts of a field, all of which a screen reader reads with it. */
export interface FieldTexts {
  readonly id: string;
  readonly label: string;
  /** Beneath it: what is expected. */
  readonly hint?: string | undefined;
  /** Message about an invalid value. */
  readonly problem?: string | undefined;
}

/** Attributes by which a control of a field refers to its texts. */
export function controlOf({ id, hint, problem }: FieldTexts) {
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return {
    id,
    className: styles.input,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': problem !== undefined || undefined,
  };
}

/** A control under its label, with a hint and its issue. */
export function Labelled({ texts, children }: { texts: FieldTexts; children: ReactNode }) {
  const { id, label, hint, problem } = texts;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="soft tiny">
          {hint}
        </p>
      )}
      <Issue id={`${id}-problem`} small of={problem} />
    </div>
  );
}
