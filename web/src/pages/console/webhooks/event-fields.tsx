import type { UseFormReturn } from 'react-hook-form';
import { api, useApi } from '../../../api.ts';
import { Check } from '../../../components/check.tsx';
import { FieldGroup } from '../../../components/form.tsx';
import { Issue } from '../../../components/issue.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import styles from './webhooks.module.css';

/** Which events an endpoint gets, as its form has them. */
export interface EventValues {
  /** Names of events, without a suffix. */
  names: string[];
  /** Suffix of every name: empty, `@safe` or `@finalized`. */
  finality: string;
  ordered: boolean;
}

const finalities = [
  ['', 'As soon as its block is settled; a reorg is followed by a retraction'],
  ['@safe', 'Once its block is safe'],
  ['@finalized', 'Once its block is final: nothing is ever retracted'],
] as const;

/** Names and finality as the API takes them: `sale.recorded@finalized`. */
export function eventsOf({ names, finality }: Pick<EventValues, 'names' | 'finality'>): string[] {
  return names.map((name) => `${name}${finality}`);
}

/** The form's values for the events of an endpoint. The finality of most names is chosen. */
export function eventValues(events: readonly string[], types: readonly string[]) {
  const parts = events.map((one) => one.split('@'));
  const suffixes = parts.map(([, suffix]) => (suffix === undefined ? '' : `@${suffix}`));
  const names = parts.flatMap(([name = '']) =>
    name.endsWith('*') ? types.filter((type) => type.startsWith(name.slice(0, -1))) : [name],
  );
  return { names: [...new Set(names)], finality: suffixes[0] ?? '' };
}

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
  const groups = [...new Set(types.map((name) => name.split('.')[0] ?? ''))];
  return (
    <>
      <FieldGroup title="Events">
        <div className={styles.groups}>
          {groups.map((group) => (
            <div key={group}>
              <strong>{group}</strong>
              {types
                .filter((name) => name.startsWith(`${group}.`))
                .map((name) => (
                  <Check
                    key={name}
                    label={name.slice(group.length + 1)}
                    aria-label={name}
                    value={name}
                    {...form.register('names')}
                  />
                ))}
            </div>
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
