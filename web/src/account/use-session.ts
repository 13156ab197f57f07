import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api.ts';
import { SIGN_IN_STATEMENT } from './confirm-statement.ts';
import { MINE, rememberSession, SESSION_KEY, type SignedIn } from './session.ts';
import { signMessage } from './sign-message.ts';
import { type NamedWallet, rememberWallet } from './wallets.ts';

/** Signs in by EIP-4361: the wallet signs a text that names this page, the chain and a nonce. */
export async function signInWith(named: NamedWallet): Promise<SignedIn> {
  const { data: challenge } = await api.auth.nonce();
  const signed = await signMessage(named.wallet, challenge, SIGN_IN_STATEMENT);
  const { data } = await api.auth.signIn(signed);
  rememberWallet(named);
  rememberSession(true);
  return data;
}

/** Makes a new session the one of this page, and forgets what was read with another. */
export function adoptSession(queries: QueryClient, session: SignedIn): void {
  queries.removeQueries({ queryKey: [MINE] });
  queries.setQueryData(SESSION_KEY, session);
}

/** As `signInWith`, as a mutation of a component. */
export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: signInWith,
    onSuccess: (session) => adoptSession(queries, session),
  });
}

/** Ends the session here and at the service, and forgets what was read with it. */
export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.auth.signOut(),
    onSuccess: () => {
      rememberSession(false);
      queries.setQueryData(SESSION_KEY, null);
      queries.removeQueries({ queryKey: [MINE] });
    },
  });
}

/** Reads what is the account’s own again whenever something of it was settled or retracted. */
export function useOwnChanges(address: `0x${string}`): void {
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    async function follow() {
      for await (const { event } of api.stream({ account: [address], signal: stop.signal })) {
        const changes = event === 'settled' || event === 'retracted' || event === 'reset';
        if (changes) await queries.invalidateQueries({ queryKey: [MINE] });
      }
    }
    // Refused for good: the page is as it was read, and can be loaded again.
    follow().catch(() => undefined);
    return () => stop.abort();
  }, [address, queries]);
}
