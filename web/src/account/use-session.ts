import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createSiweMessage } from 'viem/siwe';
import { ApiError } from '../../../engine/client/index.ts';
import { api, type DataOf } from '../api.ts';
import { chooseAccount, signText, type Wallet } from './wallet.ts';
import { type NamedWallet, rememberWallet } from './wallets.ts';

export type SignedIn = DataOf<typeof api.auth.session>;

const KEY = ['auth.session'];
/** The first part of the keys of all that is the signed-in account’s own. */
export const MINE = 'mine';

/** The session; `null` if signed out. The browser stores the cookie, and no script can read it. */
export function useSession() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<SignedIn | null> => {
      try {
        return (await api.auth.session({}, { signal })).data;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') return null;
        throw error;
      }
    },
  });
}

/** Lets the account sign an EIP-4361 message that names this page, the chain and the nonce. */
export async function signChallenge(
  wallet: Wallet,
  address: `0x${string}`,
  { nonce, chainId }: DataOf<typeof api.auth.nonce>,
  statement: string,
): Promise<{ message: string; signature: `0x${string}` }> {
  const { host, origin } = location;
  const site = { domain: host, uri: origin, version: '1' } as const;
  const message = createSiweMessage({
    ...site,
    address,
    chainId,
    nonce,
    issuedAt: new Date(),
    statement,
  });
  return { message, signature: await signText(wallet, address, message) };
}

/** Signs in by EIP-4361: the wallet signs a text that names this page, the chain and a nonce. */
export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (named: NamedWallet): Promise<SignedIn> => {
      const { wallet } = named;
      const address = await chooseAccount(wallet);
      const { data: challenge } = await api.auth.nonce();
      const statement = 'Sign in to Tributary. This costs nothing and moves nothing.';
      const { data } = await api.auth.signIn(
        await signChallenge(wallet, address, challenge, statement),
      );
      rememberWallet(named);
      return data;
    },
    onSuccess: (session) => {
      queries.removeQueries({ queryKey: [MINE] });
      queries.setQueryData(KEY, session);
    },
  });
}

/** Ends the session here and at the service, and forgets what was read with it. */
export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.auth.signOut(),
    onSuccess: () => {
      queries.setQueryData(KEY, null);
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
