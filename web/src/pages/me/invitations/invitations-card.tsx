import { useState } from 'react';
import { MINE } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import { Card } from '../../../components/card.tsx';
import { Paged } from '../../../components/list.tsx';
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
  const pages = usePages([MINE, 'invitations.mine'], api.invitations.mine, {
    status: pendingOnly ? 'pending' : undefined,
    limit: 20,
  });
  // An invitation leaves the list when it is answered: the window must outlive it.
  const dialog = joining && <JoinDialog {...joining} open onClose={() => setJoining(undefined)} />;
  return (
    <>
      {dialog}
      {(!pendingOnly || pages.items.length > 0) && (
        <Card title="Invitations">
          <Paged
            pages={pages}
            what="Invitations"
            empty="No merchant has invited you yet. Merchants find distributors by their record and their public profile."
          >
            {(items) => (
              <ul className={styles.items}>
                {items.map((invitation) => (
                  <li key={invitation.id}>
                    <InvitationItem invitation={invitation} onJoin={setJoining} />
                  </li>
                ))}
              </ul>
            )}
          </Paged>
        </Card>
      )}
    </>
  );
}
