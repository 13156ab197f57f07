import type { UseFormReturn } from 'react-hook-form';
import { api, useApi } from '../../../api.ts';
import { Check } from '../../../components/check.tsx';
import { FieldGroup } from '../../../components/form.tsx';
import { Issue } from '../../../components/issue.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import { groupedEvents } from './event-words.ts';
import type { EventValues } from './events.ts';
import styles from './webhooks.module.css';

const finalities = [
  ['', 'As soon as its block is settled; a reorg is followed by a retraction'],
  ['@safe', 'Once its block is safe'],
  ['@finalized', 'Once its block is final: nothing is ever retracted'],
] as const;

/** Names of all events that webhooks send. */
export function useEventTypes(): readonly string[] {
  const query = useApi(
    ['events.types'],
    api.events.types,
    {},
    {
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
  return query.data?.data.webhooks.types.map(({ name }) => name) ?? [];
}

interface Props<V extends EventValues> {
  readonly form: UseFormReturn<V>;
  readonly types: readonly string[];
}

/** The choice of events, and of how final they must be. */
export function EventFields({ form, types }: Props<EventValues>) {
  const chosen = form.watch('names');
  const choose = (names: readonly string[]) =>
    form.setValue('names', [...names], { shouldDirty: true });
  return (
    <>
      <FieldGroup title="Events">
        <Check
          label="All events"
          hint="Also those that are added later."
          checked={types.length > 0 && chosen.length === types.length}
          onChange={({ target }) => choose(target.checked ? types : [])}
        />
        <div className={styles.groups}>
          {groupedEvents(types).map(({ title, events }) => (
            <fieldset key={title} className={styles.group}>
              <legend>{title}</legend>
              {events.map(({ name, text }) => (
                <Check
                  key={name}
                  label={text}
                  hint={<code>{name}</code>}
                  value={name}
                  {...form.register('names')}
                />
              ))}
            </fieldset>
          ))}
        </div>
        <Issue of={form.formState.errors.names?.message} />
      </FieldGroup>
      <SelectField
        label="When an event is sent"
        {...inputOf(form, 'finality')}
        options={finalities}
      />
      <Check
        label="Events of a campaign wait for each other"
        hint="They arrive in their order; one that fails holds up those after it."
        {...form.register('ordered')}
      />
    </>
  );
}
