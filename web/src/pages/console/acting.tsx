import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Client, createClient } from '../../../../engine/client/create-client.ts';
import { isAtLeast, type Role } from '../../../../engine/contract/roles.ts';
import { confirmInWallet } from '../../account/confirm.ts';
import { MINE, type SignedIn } from '../../account/session.ts';
import { useOwnChanges } from '../../account/use-session.ts';

/** The merchant whose console is shown, and what the signed-in account may do for it. */
export interface Acting {
  /** Client whose calls act for the merchant; it asks the wallet where a call needs a fresh signature. */
  readonly api: Client;
  /** First parts of the cache key of everything that is read for the merchant. */
  readonly key: readonly [typeof MINE, merchant: string];
  readonly merchant: `0x${string}`;
  readonly role: Role;
  /** True if the signed-in account is the merchant: only its wallet can sign transactions. */
  readonly signs: boolean;
  readonly session: SignedIn;
}

const Context = createContext<Acting | undefined>(undefined);

interface Props extends Pick<Acting, 'merchant' | 'role' | 'session'> {
  readonly children: ReactNode;
}

/** Makes everything inside of it act for a merchant. */
export function ActingFor({ merchant, role, session, children }: Props) {
  const acting = useMemo((): Acting => {
    const { address, csrfToken } = session;
    const own = merchant === address;
    const api = createClient({
      baseUrl: window.location.origin,
      session: { csrfToken },
      ...(own ? {} : { merchant }),
      confirm: confirmInWallet,
    });
    return { api, key: [MINE, merchant], merchant, role, signs: own, session };
  }, [merchant, role, session]);
  return (
    <Context.Provider value={acting}>
      {!acting.signs && <FollowChanges of={merchant} />}
      {children}
    </Context.Provider>
  );
}

/** Reads the merchant's data again when the stream reports a change of it. */
function FollowChanges({ of }: { readonly of: `0x${string}` }) {
  useOwnChanges(of);
  return null;
}

/** The merchant that the console acts for. */
export function useActing(): Acting {
  const acting = useContext(Context);
  if (acting === undefined) throw new Error('The console acts for no merchant here.');
  return acting;
}

/** True if the signed-in account's role permits what `needed` may do. */
export function useMay(needed: Role): boolean {
  return isAtLeast(useActing().role, needed);
}
