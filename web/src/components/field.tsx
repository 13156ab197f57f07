import type { InputHTMLAttributes } from 'react';
import { controlOf, type FieldTexts, Labelled } from './labelled.tsx';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> & FieldTexts;

/** A field with its label, a hint, and its issue. */
export function Field({ id, label, hint, problem, ...input }: Props) {
  const texts = { id, label, hint, problem };
  return (
    <Labelled texts={texts}>
      <input {...input} {...controlOf(texts)} />
    </Labelled>
  );
}
