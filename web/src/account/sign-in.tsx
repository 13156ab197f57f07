import type { ReactNode } from 'react';
import type { DemoRole } from '../../../engine/contract/demo.ts';
import { confirmCallsBy } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Failure } from '../components/failure.tsx';
import { Issue } from '../components/issue.tsx';
import { Loading } from '../components/loading.tsx';
import { Panel } from '../components/panel.tsx';
import { TryAs } from '../demo/try-as.tsx';
import styles from './account.module.css';
import { confirmInWallet } from './confirm.ts';
import { PairingDialog } from './pairing-dialog.tsx';
import { type SignedIn, useSession } from './session.ts';
import { useOwnChanges, useSignIn } from './use-session.ts';
import { useWallets } from './wallets.ts';

confirmCallsBy(confirmInWallet);

interface Props {
  /** The reason to sign in, as a sentence. */
  readonly why: string;
  /** Role that can be tried here on a local chain. */
  readonly demo?: DemoRole;
  readonly children: (session: SignedIn) => ReactNode;
}

/** A part of a page for a signed-in account; other readers see how to sign in. */
export function ForAccount({ why, demo, children }: Props) {
  const session = useSession();
  if (session.isPending) return <Loading what="your session" />;
  if (session.error) {
    return (
      <Failure error={session.error} what="Your session" onRetry={() => void session.refetch()} />
    );
  }
  if (session.data === null) return <SignIn why={why} demo={demo} />;
  return (
    <Own key={session.data.address} session={session.data}>
      {children}
    </Own>
  );
}

function Own({ session, children }: Pick<Props, 'children'> & { readonly session: SignedIn }) {
  useOwnChanges(session.address);
  return children(session);
}

/** Buttons to sign in with each wallet of this browser. */
function SignIn({ why, demo }: { readonly why: string; readonly demo: DemoRole | undefined }) {
  const signIn = useSignIn();
  const wallets = useWallets();
  return (
    <Panel title="Sign in with your wallet">
      <p>
        {why} Your wallet signs a text that names this site. That costs nothing and moves nothing,
        and this site never sees a key.
      </p>
      {wallets.length === 0 && (
        <p role="status">
          <strong>This browser has no wallet.</strong> Install a wallet’s extension, or open this
          page in the browser of a wallet’s app.
        </p>
      )}
      <div className="actions">
        {wallets.map((one) => (
          <Button key={one.id} main disabled={signIn.isPending} onClick={() => signIn.mutate(one)}>
            {one.icon && <img className={styles.icon} src={one.icon} alt="" />}
            {signIn.isPending
              ? 'Waiting for the wallet…'
              : wallets.length === 1
                ? 'Sign in'
                : `Sign in with ${one.name}`}
          </Button>
        ))}
      </div>
      <PairingDialog />
      <Issue of={signIn.error} />
      <TryAs {...(demo && { first: demo })} />
    </Panel>
  );
}
