import type { SignedIn } from '../../../account/session.ts';
import { useSignOut } from '../../../account/use-session.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Issue } from '../../../components/issue.tsx';
import { Time } from '../../../components/time.tsx';
import styles from '../me.module.css';
import { DataCard } from './data-card.tsx';
import { MailCard } from './mail-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** Settings of the account itself, one card each. */
export function Account({ session }: { readonly session: SignedIn }) {
  return (
    <Cards>
      <AccountCard session={session} />
      <MailCard />
      <SessionsCard />
      <DataCard address={session.address} />
    </Cards>
  );
}

function AccountCard({ session }: { readonly session: SignedIn }) {
  const signOut = useSignOut();
  const { address, scopes, signedInAt, expiresAt } = session;
  const distributes = scopes.includes('distributor');
  return (
    <Card
      title="Signed in"
      aside={
        <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      }
    >
      <Facts
        facts={[
          [
            'Account',
            distributes ? (
              <AddressLink key="address" address={address} to="distributors" />
            ) : (
              <AddressLink key="address" address={address} />
            ),
          ],
          [
            'Roles',
            <span key="scopes" className={styles.scopes}>
              {scopes.map((scope) => (
                <Badge key={scope} tone="plain">
                  {scope}
                </Badge>
              ))}
            </span>,
          ],
          ['Since', <Time key="in" at={signedInAt} />],
          ['Ends', <Time key="ends" at={expiresAt} />],
        ]}
      />
      <Issue of={signOut.error} />
    </Card>
  );
}
