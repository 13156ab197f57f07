import type { SelectHTMLAttributes } from 'react';
import styles from './field.module.css';

type Props = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'> & {
  readonly id: string;
  readonly label: string;
  /** Values with their names, in the order shown. */
  readonly options: readonly (readonly [value: string, name: string])[];
};

/** A choice of one of a few values, with its label. */
export function SelectField({ id, label, options, ...select }: Props) {
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} className={styles.input}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
