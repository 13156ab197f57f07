import { ForAccount } from '../../account/sign-in.tsx';
import { type SignedIn, useSignOut } from '../../account/use-session.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { ClaimCard } from './claim-card.tsx';
import { EarningsCards } from './earnings-cards.tsx';
import { LinksCard } from './links-card.tsx';
import styles from './me.module.css';
import { PurchasesCard } from './purchases-card.tsx';

/** Earnings, links and purchases of the signed-in account. */
export function MePage() {
  return (
    <>
      <PageHead title="My account" />
      <ForAccount why="Then you see what you earned, your links and your purchases.">
        {(session) => (
          <Cards>
            <AccountCard session={session} />
            <EarningsCards />
            <ClaimCard address={session.address} />
            <LinksCard />
            <PurchasesCard />
          </Cards>
        )}
      </ForAccount>
    </>
  );
}

function AccountCard({ session }: { readonly session: SignedIn }) {
  const signOut = useSignOut();
  const { address, scopes, signedInAt, expiresAt } = session;
  const distributes = scopes.includes('distributor');
  return (
    <Card
      title="Account"
      aside={
        <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      }
    >
      <Facts
        facts={[
          [
            'Address',
            distributes ? (
              <AddressLink key="address" address={address} to="distributors" />
            ) : (
              <AddressLink key="address" address={address} />
            ),
          ],
          [
            'What it is',
            <span key="scopes" className={styles.scopes}>
              {scopes.map((scope) => (
                <Badge key={scope} tone="plain">
                  {scope}
                </Badge>
              ))}
            </span>,
          ],
          ['Signed in', <Time key="in" at={signedInAt} />],
          ['Ends', <Time key="ends" at={expiresAt} />],
        ]}
      />
      {signOut.error && (
        <p className={styles.issue} role="alert">
          {signOut.error.message}
        </p>
      )}
    </Card>
  );
}
