import type { ReactNode, SelectHTMLAttributes } from 'react';
import styles from './field.module.css';

type Props = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'> & {
  readonly id: string;
  readonly label: string;
  /** Message about an invalid value. */
  readonly problem?: string | undefined;
  /** Values with their names, in the order shown. */
  readonly options?: readonly (readonly [value: string, name: string])[];
  /** Further `option` elements. */
  readonly children?: ReactNode;
};

/** A choice from a list, with its label and its issue. */
export function SelectField({ id, label, problem, options, children, ...select }: Props) {
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        {...select}
        id={id}
        className={styles.input}
        aria-describedby={problem && `${id}-problem`}
        aria-invalid={problem !== undefined || undefined}
      >
        {options && <Options of={options} />}
        {children}
      </select>
      {problem && (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The `option` elements of values with their texts. */
function Options({ of }: { readonly of: readonly (readonly [string, string])[] }) {
  return of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
}
