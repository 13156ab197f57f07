import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { MINE } from '../../../account/session.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { inputOf } from '../../../form-issues.ts';
import styles from '../me.module.css';

interface LabelProps {
  readonly nodeId: string;
  /** Its name so far; `null` without one. */
  readonly label: string | null;
}

/** The name that an owner gave a link, to change in its place. Only the owner sees it. */
export function Label(props: LabelProps) {
  const [changing, setChanging] = useState(false);
  const { nodeId, label } = props;
  if (changing) return <LabelForm {...props} onDone={() => setChanging(false)} />;
  return (
    <span className={styles.label}>
      {label}
      <Button
        quiet
        aria-label={`${label === null ? 'Name it' : 'Rename'}: link ${nodeId}`}
        onClick={() => setChanging(true)}
      >
        {label === null ? 'Name it' : 'Rename'}
      </Button>
    </span>
  );
}

function LabelForm({ nodeId, label, onDone }: LabelProps & { readonly onDone: () => void }) {
  const id = useId();
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { label: label ?? '' } });
  async function save(values: { label: string }) {
    await api.links.label({ nodeId, label: values.label.trim() || null });
    await queries.invalidateQueries({ queryKey: [MINE] });
    onDone();
  }
  return (
    <Form
      form={form}
      onSubmit={save}
      name="Save"
      main={false}
      aside={
        <Button quiet onClick={onDone}>
          Cancel
        </Button>
      }
    >
      <Field
        label="Name of the link"
        maxLength={100}
        autoFocus
        {...inputOf(form, 'label')}
        id={id}
      />
    </Form>
  );
}
