import type { ReactNode, SelectHTMLAttributes } from 'react';
import { controlOf, type FieldTexts, Labelled } from './labelled.tsx';

type Props = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'> &
  Omit<FieldTexts, 'hint'> & {
    /** Values with their names, in the order shown. */
    readonly options?: readonly (readonly [value: string, name: string])[];
    /** Further `option` elements. */
    readonly children?: ReactNode;
  };

/** A choice from a list, with its label and its issue. */
export function SelectField({ id, label, problem, options = [], children, ...select }: Props) {
  const texts = { id, label, problem };
  return (
    <Labelled texts={texts}>
      <select {...select} {...controlOf(texts)}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        {children}
      </select>
    </Labelled>
  );
}
