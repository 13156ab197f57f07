import { AddressLink } from '../../components/address-link.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { Failure } from '../../components/failure.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { ClaimCard } from './claim-card.tsx';
import { EarningsCards } from './earnings-cards.tsx';
import { LinksCard } from './links-card.tsx';
import styles from './me.module.css';
import { PurchasesCard } from './purchases-card.tsx';
import { type SignedIn, useOwnChanges, useSession, useSignIn, useSignOut } from './use-session.ts';
import { browserWallet } from './wallet.ts';

/** Earnings, links and purchases of the signed-in account. */
export function MePage() {
  const session = useSession();
  return (
    <>
      <PageHead title="My account" />
      {session.isPending && <Loading what="the session" />}
      {session.error && (
        <Failure error={session.error} what="The session" onRetry={() => void session.refetch()} />
      )}
      {session.data === null && <SignIn />}
      {session.data && <Mine key={session.data.address} session={session.data} />}
    </>
  );
}

function SignIn() {
  const signIn = useSignIn();
  const wallet = browserWallet();
  return (
    <Panel title="Sign in with your wallet">
      <p>
        Your wallet signs a text that names this page. It costs nothing, moves nothing, and this
        page never sees a key. What you earned, your links and your purchases are shown then.
      </p>
      {wallet ? (
        <Button main disabled={signIn.isPending} onClick={() => signIn.mutate(wallet)}>
          {signIn.isPending ? 'Waiting for the wallet …' : 'Sign in'}
        </Button>
      ) : (
        <p role="status">
          <strong>This browser has no wallet.</strong> Open the page in one that has, or with a
          wallet’s extension.
        </p>
      )}
      {signIn.error && (
        <p className={styles.issue} role="alert">
          {signIn.error.message}
        </p>
      )}
    </Panel>
  );
}

function Mine({ session }: { readonly session: SignedIn }) {
  useOwnChanges(session.address);
  return (
    <Cards>
      <AccountCard session={session} />
      <EarningsCards />
      <ClaimCard address={session.address} />
      <LinksCard />
      <PurchasesCard />
    </Cards>
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
