import { useState } from 'react';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Loading } from '../../../components/loading.tsx';
import { JoinDialog } from '../../campaign/join/join-dialog.tsx';
import styles from '../me.module.css';
import { InvitationItem, type ToJoin } from './invitation-item.tsx';

interface InvitationsCardProps {
  /** Shows only those that wait for an answer, and nothing if there are none. */
  readonly pendingOnly?: boolean;
}

/** Invitations of merchants to the account, newest first. */
export function InvitationsCard({ pendingOnly = false }: InvitationsCardProps) {
  const [joining, setJoining] = useState<ToJoin>();
  const { items, query } = usePages([MINE, 'invitations.mine'], api.invitations.mine, {
    limit: 20,
    ...(pendingOnly ? { status: 'pending' } : {}),
  });
  // An invitation leaves the list when it is answered: the window must outlive it.
  const dialog = joining && <JoinDialog {...joining} open onClose={() => setJoining(undefined)} />;
  if (pendingOnly && items.length === 0) return dialog;
  return (
    <Card title="Invitations">
      {dialog}
      {query.isPending && <Loading what="invitations" />}
      {query.error && (
        <Failure error={query.error} what="Invitations" onRetry={() => void query.refetch()} />
      )}
      {query.isSuccess && items.length === 0 && (
        <Empty>
          No merchant has invited you yet. Merchants find distributors by their record and their
          public profile.
        </Empty>
      )}
      <ul className={styles.items}>
        {items.map((invitation) => (
          <li key={invitation.id}>
            <InvitationItem invitation={invitation} onJoin={setJoining} />
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </Card>
  );
}
