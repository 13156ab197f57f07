import { type ReactNode, useEffect, useState } from 'react';
import type { FieldPath, FieldValues, UseFormRegisterReturn, UseFormReturn } from 'react-hook-form';
import { sending } from '../form-issues.ts';
import { Button } from './button.tsx';
import { Check } from './check.tsx';
import styles from './form.module.css';
import { Issue } from './issue.tsx';

interface FormProps<V extends FieldValues> {
  readonly form: UseFormReturn<V>;
  /** Sends the values; what it throws is shown at the fields that it names. */
  readonly onSubmit: (values: V) => Promise<unknown>;
  /** Text of the button. */
  readonly name: string;
  /** Text of the button while the values are sent. */
  readonly busy?: string;
  /** Says that the values were sent, until one of them is changed. */
  readonly saved?: string;
  /** Maps a path of the API's body to a field of the form; default the path itself. */
  readonly fieldOf?: ((path: string) => string) | undefined;
  /** Next to the button. */
  readonly aside?: ReactNode;
  readonly disabled?: boolean;
  /** False if the page has a more important button. */
  readonly main?: boolean;
  readonly children?: ReactNode;
}

/** A form: its fields, issues that belong to none of them, its button, and what came of it. */
export function Form<V extends FieldValues>(props: FormProps<V>) {
  const { form, onSubmit, name, busy = 'In progress…', saved, fieldOf, aside } = props;
  const { disabled = false, main = true, children } = props;
  const { isSubmitting, isDirty, errors } = form.formState;
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    const { unsubscribe } = form.watch((_values, { name: changed }) => {
      // What was refused was another value. A field that is still invalid is checked again.
      if (changed !== undefined) form.clearErrors(['root', changed] as FieldPath<V>[]);
    });
    return unsubscribe;
  }, [form]);
  async function send(values: V) {
    setSaved(false);
    await onSubmit(values);
    setSaved(true);
    // From here on, a form is changed if it differs from what was sent.
    if (saved !== undefined) form.reset(form.getValues());
  }
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => void sending(form, send, fieldOf)(event)}
    >
      {children}
      <Issue of={errors.root?.message} />
      <div className="actions">
        <Button main={main} type="submit" disabled={disabled || isSubmitting}>
          {isSubmitting ? busy : name}
        </Button>
        {aside}
        {saved !== undefined && (
          <span className="soft" role="status">
            {isSaved && !isDirty && saved}
          </span>
        )}
      </div>
    </form>
  );
}

interface ChoicesProps extends UseFormRegisterReturn {
  readonly title: string;
  /** Values with their names, in the order shown. */
  readonly options: readonly (readonly [value: string, name: string])[];
}

/** A question with its answers, one of which is chosen. */
export function Choices({ title, options, ...input }: ChoicesProps) {
  return (
    <fieldset className={styles.choices}>
      <legend>{title}</legend>
      {options.map(([value, name]) => (
        <Check key={value} radio label={name} value={value} {...input} />
      ))}
    </fieldset>
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
