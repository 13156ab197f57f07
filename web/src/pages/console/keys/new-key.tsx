import { useQueryClient } from '@tanstack/react-query';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { isAtLeast } from '../../../../../engine/contract/roles.ts';
import { useApi } from '../../../api.ts';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import { readList } from '../../../read-input.ts';
import { useActing } from '../acting.tsx';
import { RightFields } from './right-fields.tsx';

const DAY_MS = 86_400_000;

const expiries = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
] as const;

/** The form of a new key: its name, what it may do, from where, and until when. */
export function NewKey({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const available = useScopes();
  const defaultValues = { name: '', days: '90', addresses: '', scopes: [] as string[] };
  const form = useForm({ defaultValues });
  async function create(values: typeof defaultValues) {
    const addresses = readList(values.addresses);
    const { data } = await api.apiKeys.create({
      name: values.name,
      scopes: values.scopes,
      ...(addresses.length === 0 ? {} : { addresses }),
      ...(values.days === ''
        ? {}
        : { expiresAt: new Date(Date.now() + Number(values.days) * DAY_MS).toISOString() }),
    });
    await queries.invalidateQueries({ queryKey: [...key, 'apiKeys.list'] });
    onSecret(data.secret);
  }
  return (
    <Form
      form={form}
      onSubmit={create}
      name="Create key"
      fieldOf={(path) => path.replace(/^(scopes|addresses)\..*/, '$1').replace('expiresAt', 'days')}
    >
      <Field
        label="Name"
        hint="What it is for: shop backend."
        maxLength={100}
        {...inputOf(form, 'name', (text) => (text.trim() === '' ? 'Enter a name.' : undefined))}
      />
      <RightFields
        form={form as unknown as UseFormReturn<{ scopes: string[] }>}
        available={available}
      />
      <SelectField label="Expires" {...inputOf(form, 'days')} options={expiries} />
      <TextField
        label="Only from these addresses"
        hint="IP addresses or networks (10.0.0.0/8), one on each line, at most 20. Empty for anywhere."
        rows={2}
        {...inputOf(form, 'addresses')}
      />
      <p className="soft">Your wallet confirms this with a signature.</p>
    </Form>
  );
}

/** Scopes that a key of this account can have, from the list of methods. */
function useScopes(): readonly string[] {
  const { api, role } = useActing();
  const query = useApi(
    ['system.endpoints'],
    api.system.endpoints,
    {},
    {
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
  const items = query.data?.data.items ?? [];
  const scopes = items
    .filter((one) => one.availability === 'live')
    .filter((one) => one.role === undefined || isAtLeast(role, one.role))
    .flatMap(({ scope }) => scope ?? []);
  return [...new Set(scopes)].sort();
}
