import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Check } from '../../../components/check.tsx';
import { FieldGroup } from '../../../components/form.tsx';
import { Issue } from '../../../components/issue.tsx';
import { countOf } from '../../../format.ts';
import styles from './keys.module.css';
import { groupedRights, presetOf, presets } from './rights.ts';

interface Values {
  scopes: string[];
}

interface RightFieldsProps {
  readonly form: UseFormReturn<Values>;
  /** Rights that the account can give. */
  readonly available: readonly string[];
}

/** The choice of rights: a common set, or single rights. */
export function RightFields({ form, available }: RightFieldsProps) {
  const chosen = form.watch('scopes');
  const [wantsOwn, wantOwn] = useState(false);
  const preset = presetOf(chosen, available);
  const isOwn = wantsOwn || (preset === undefined && chosen.length > 0);
  function choose(scopes: readonly string[], own: boolean) {
    wantOwn(own);
    form.setValue('scopes', [...scopes], { shouldDirty: true });
  }
  return (
    <FieldGroup title="What it may do">
      <div className={styles.presets}>
        {presets.map(({ id, title, hint, includes }) => (
          <Check
            key={id}
            radio
            name="preset"
            label={title}
            hint={hint}
            checked={!isOwn && preset === id}
            onChange={() => choose(available.filter(includes), false)}
          />
        ))}
        <Check
          radio
          name="preset"
          label="My own choice"
          hint="Tick each right below."
          checked={isOwn}
          onChange={() => choose(chosen, true)}
        />
      </div>
      <details className="more" open={isOwn}>
        <summary>{countOf(chosen.length, 'right')}: show each</summary>
        <div className={styles.groups}>
          {groupedRights(available).map(({ title, rights }) => (
            <fieldset key={title} className={styles.group}>
              <legend>{title}</legend>
              {rights.map(({ scope, text }) => (
                <Check
                  key={scope}
                  label={text}
                  hint={<code>{scope}</code>}
                  value={scope}
                  {...form.register('scopes')}
                />
              ))}
            </fieldset>
          ))}
        </div>
      </details>
      <Issue of={form.formState.errors.scopes?.message} />
    </FieldGroup>
  );
}
