import { useQueryClient } from '@tanstack/react-query';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { inputOf } from '../../../form-issues.ts';
import { useActing } from '../acting.tsx';
import { EventFields, useEventTypes } from './event-fields.tsx';
import { type EventValues, eventsOf } from './events.ts';

interface Values extends EventValues {
  url: string;
}

/** The form of a new endpoint. */
export function NewEndpoint({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const types = useEventTypes();
  const form = useForm<Values>({
    defaultValues: { url: '', names: [], finality: '', ordered: false },
  });
  async function create(values: Values) {
    const { url, ordered } = values;
    const { data } = await api.webhooks.create({ url, events: eventsOf(values, types), ordered });
    await queries.invalidateQueries({ queryKey: [...key, 'webhooks.list'] });
    onCreated(data.secret);
  }
  return (
    <Form form={form} onSubmit={create} name="Add endpoint" fieldOf={endpointField}>
      <Field
        label="Address"
        hint="https://shop.example/hooks/tributary"
        type="url"
        maxLength={2_048}
        {...inputOf(form, 'url', (text) =>
          URL.canParse(text) ? undefined : 'Enter an address that begins with https.',
        )}
      />
      <EventFields form={form as unknown as UseFormReturn<EventValues>} types={types} />
    </Form>
  );
}

/** The field of the form for a path of the API's body. */
export const endpointField = (path: string) => path.replace(/^events(\..*)?$/, 'names');
