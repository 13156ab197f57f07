import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Card } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { inputOf } from '../../../form-issues.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { ForRole } from '../for-role.tsx';
import type { Profile } from '../use-profile.ts';

type Closing = DataOf<Client['merchants']['close']>;

/** Closes the merchant for good; while money is at stake, it says what has to end first. */
export function CloseCard({ profile }: { readonly profile: Profile }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [blockers, setBlockers] = useState<Closing['blockers']>([]);
  const form = useForm({ defaultValues: { closing: '' } });
  async function close({ closing }: { closing: string }) {
    const { data } = await api.merchants.close({ slug: closing.trim() });
    setBlockers(data.blockers);
    if (data.closed) await queries.invalidateQueries({ queryKey: key });
  }
  return (
    <Card title="Close this merchant">
      <ForRole needs="owner">
        <Form
          form={form}
          onSubmit={close}
          name="Close for good"
          main={false}
          fieldOf={(path) => path.replace('slug', 'closing')}
        >
          <p>
            A closed merchant sells no more through this service, and cannot be opened again. Its
            campaigns stay on the chain. Your wallet signs a confirmation.
          </p>
          <Field
            label={`Write “${profile.slug}” to confirm`}
            autoComplete="off"
            {...inputOf(form, 'closing')}
          />
        </Form>
        {blockers.length > 0 && (
          <div role="alert" className="stack">
            <p>It is not closed, because this is open:</p>
            <ul className={styles.list}>
              {blockers.map(({ kind, message, amounts }) => (
                <li key={kind}>
                  {message}{' '}
                  {amounts.map(({ amount, token }) => (
                    <span key={token.address}>
                      <Amount value={amount} token={token} />{' '}
                    </span>
                  ))}
                </li>
              ))}
            </ul>
          </div>
        )}
      </ForRole>
    </Card>
  );
}
