import type { TextareaHTMLAttributes } from 'react';
import { controlOf, type FieldTexts, Labelled } from './labelled.tsx';

type Props = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> & FieldTexts;

/** A field for a text of several lines, with its label, a hint and its issue. */
export function TextField({ id, label, hint, problem, rows = 3, ...area }: Props) {
  const texts = { id, label, hint, problem };
  return (
    <Labelled texts={texts}>
      <textarea {...area} rows={rows} {...controlOf(texts)} />
    </Labelled>
  );
}
