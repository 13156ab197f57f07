import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import { useApi } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldRow, Form } from '../../../components/form.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import type { Unit } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import styles from './campaigns.module.css';
import type { PolicyForm } from './policy-fields.tsx';
import { policyTerms, policyValues, validTerms } from './policy-values.ts';

interface Props {
  readonly form: UseFormReturn<PolicyForm>;
  readonly token: Unit;
}

/** Templates to start a policy from: built-in ones, and those that the merchant saved. */
export function Templates({ form, token }: Props) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [chosen, choose] = useState('');
  const [saving, setSaving] = useState(false);
  const query = useApi([...key, 'studio.templates'], api.studio.templates, { limit: 100 });
  const templates = query.data?.data.items ?? [];
  const template = templates.find(({ id }) => id === chosen);
  function fill(id: string) {
    choose(id);
    const policy = templates.find((one) => one.id === id)?.policy;
    if (policy === undefined) return;
    const { effectiveAt, expiry } = form.getValues();
    form.reset({ ...policyValues(policy, token.decimals), effectiveAt, expiry });
  }
  async function remove() {
    await api.studio.deleteTemplate({ id: chosen });
    choose('');
    await queries.invalidateQueries({ queryKey: [...key, 'studio.templates'] });
  }
  return (
    <FieldRow>
      <SelectField
        id="template"
        label="Start from a template"
        value={chosen}
        onChange={({ target }) => fill(target.value)}
      >
        <option value="">Choose a template</option>
        {templates.map(({ id, name, builtIn }) => (
          <option key={id} value={id}>
            {builtIn ? name : `${name} (yours)`}
          </option>
        ))}
      </SelectField>
      <div className={styles.controls}>
        <Button onClick={() => setSaving(true)}>Save as template</Button>
        {template && !template.builtIn && (
          <ConfirmButton
            name="Delete template"
            title={`Delete ${template.name}?`}
            onConfirm={remove}
          >
            Campaigns and drafts that began with it stay as they are.
          </ConfirmButton>
        )}
      </div>
      <Dialog title="Save as template" open={saving} onClose={() => setSaving(false)}>
        <SaveTemplate form={form} token={token} onSaved={() => setSaving(false)} />
      </Dialog>
    </FieldRow>
  );
}

function SaveTemplate({ form, token, onSaved }: Props & { readonly onSaved: () => void }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const named = useForm({ defaultValues: { name: '' } });
  const isValid = validTerms(form.getValues(), token.decimals) !== undefined;
  if (!isValid) return <p className="issue">Complete the reward and its limits first.</p>;
  async function save({ name }: { name: string }) {
    const policy = policyTerms(form.getValues(), token.decimals);
    await api.studio.saveTemplate({ name, policy });
    await queries.invalidateQueries({ queryKey: [...key, 'studio.templates'] });
    onSaved();
  }
  return (
    <Form form={named} onSubmit={save} name="Save template">
      <Field
        label="Name of the template"
        maxLength={100}
        {...inputOf(named, 'name', (text) => (text.trim() === '' ? 'Enter a name.' : undefined))}
      />
    </Form>
  );
}
