import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { issueAt } from '../../../issues.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { ForRole } from '../for-role.tsx';
import { Issue } from '../issue.tsx';
import type { Profile } from '../use-profile.ts';

/** Closes the merchant for good; while money is at stake, it says what has to end first. */
export function CloseCard({ profile }: { readonly profile: Profile }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const close = useMutation({
    mutationFn: async (slug: string) => (await api.merchants.close({ slug })).data,
    onSuccess: ({ closed }) => closed && queries.invalidateQueries({ queryKey: key }),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    close.mutate(String(new FormData(event.currentTarget).get('slug')).trim());
  }
  const blockers = close.data?.blockers ?? [];
  return (
    <Card title="Close this merchant">
      <ForRole needs="owner">
        <form className="stack" onSubmit={submit} noValidate>
          <p>
            A closed merchant sells no more through this service, and cannot be opened again. Its
            campaigns stay on the chain. Your wallet signs a confirmation.
          </p>
          <div className={styles.fields}>
            <Field
              id="close-slug"
              name="slug"
              label={`Write “${profile.slug}” to confirm`}
              autoComplete="off"
              problem={issueAt(close.error, 'slug')}
            />
          </div>
          <div className={styles.row}>
            <Button type="submit" disabled={close.isPending}>
              Close for good
            </Button>
          </div>
          <Issue error={close.error} shownAt={['slug']} />
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
        </form>
      </ForRole>
    </Card>
  );
}
