import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { placeIssues } from '../form-issues.ts';
import { Button } from './button.tsx';
import styles from './form.module.css';
import { Issue } from './issue.tsx';

interface FormProps<V extends FieldValues> {
  readonly form: UseFormReturn<V>;
  /** Sends the values; what it throws is shown at the fields that it names. */
  readonly onSubmit: (values: V) => Promise<unknown>;
  /** Text of the button. */
  readonly name: string;
  /** Maps a path of the API's body to a field of the form; default the path itself. */
  readonly fieldOf?: ((path: string) => string) | undefined;
  /** Next to the button. */
  readonly aside?: ReactNode;
  readonly disabled?: boolean;
  readonly children?: ReactNode;
}

/** A form: its fields, issues that belong to none of them, and its button. */
export function Form<V extends FieldValues>(props: FormProps<V>) {
  const { form, onSubmit, name, fieldOf, aside, disabled = false, children } = props;
  const { isSubmitting, errors } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    try {
      await onSubmit(values);
    } catch (error) {
      placeIssues(form, error, fieldOf);
    }
  });
  return (
    <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
      {children}
      <Issue of={errors.root?.message} />
      <div className="actions">
        <Button main type="submit" disabled={disabled || isSubmitting}>
          {isSubmitting ? 'In progress…' : name}
        </Button>
        {aside}
      </div>
    </form>
  );
}

/** Fields next to each other where there is room. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}

/** Fields that belong together, under a name. */
export function FieldGroup({
  title,
  hint,
  children,
}: {
  readonly title: ReactNode;
  readonly hint?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      {hint && <p className="soft">{hint}</p>}
      {children}
    </fieldset>
  );
}
