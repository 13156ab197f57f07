import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MINE } from '../../../account/session.ts';
import { api, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Issue } from '../../../components/issue.tsx';
import { Time } from '../../../components/time.tsx';
import styles from '../me.module.css';
import { browserName } from './browser-name.ts';

/** Open sessions of the account, each with a button that ends it. */
export function SessionsCard() {
  const queries = useQueryClient();
  const query = useApi([MINE, 'auth.sessions'], api.auth.sessions, {});
  const revoke = useMutation({
    mutationFn: (id: string) => api.auth.revokeSession({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [MINE, 'auth.sessions'] }),
  });
  return (
    <Card title="Sessions">
      <Answered query={query} what="your sessions">
        {({ data: { items } }) => (
          <DataTable
            caption="Where you are signed in"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Browser',
                cell: ({ userAgent, current }) => (
                  <>
                    {current && (
                      <>
                        <Badge tone="good">this one</Badge>{' '}
                      </>
                    )}
                    <span className={styles.agent} title={userAgent ?? undefined}>
                      {userAgent === null ? 'not named' : browserName(userAgent)}
                    </span>
                  </>
                ),
              },
              { name: 'Signed in', cell: ({ signedInAt }) => <Time at={signedInAt} /> },
              { name: 'Last used', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
              { name: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                name: 'End it',
                cell: ({ id, current }) =>
                  !current && (
                    <Button disabled={revoke.isPending} onClick={() => revoke.mutate(id)}>
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Answered>
      <Issue of={revoke.error} />
    </Card>
  );
}
