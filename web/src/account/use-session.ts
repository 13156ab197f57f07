import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api.ts';
import { MINE, rememberSession, SESSION_KEY, type SignedIn } from './session.ts';
import { signMessage } from './sign-message.ts';
import { type NamedWallet, rememberWallet } from './wallets.ts';

export { MINE, SESSION_KEY, type SignedIn, useSession } from './session.ts';

/** Signs in by EIP-4361: the wallet signs a text that names this page, the chain and a nonce. */
export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (named: NamedWallet): Promise<SignedIn> => {
      const { data: challenge } = await api.auth.nonce();
      const signed = await signMessage(
        named.wallet,
        challenge,
        'Sign in to Tributary. This costs nothing and moves nothing.',
      );
      const { data } = await api.auth.signIn(signed);
      rememberWallet(named);
      rememberSession(true);
      return data;
    },
    onSuccess: (session) => {
      queries.removeQueries({ queryKey: [MINE] });
      queries.setQueryData(SESSION_KEY, session);
    },
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
