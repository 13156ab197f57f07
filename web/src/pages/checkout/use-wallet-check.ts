import { useQuery } from '@tanstack/react-query';
import { accountsOf, balanceOf, chainOf, type Wallet } from '../../account/wallet.ts';
import { useWallet } from '../../account/wallets.ts';

/** Requirements of a payment on the wallet. */
export interface Needs {
  readonly chainId: number;
  /** The account that pays. */
  readonly address: string;
  readonly token: string;
  /** Base units. */
  readonly amount: bigint;
}

/** Whether the wallet can pay, and otherwise what is missing. */
export type WalletCheck =
  | { readonly kind: 'ready' | 'checking' | 'no-wallet' | 'not-connected' }
  | { readonly kind: 'other-chain'; readonly chainId: number }
  | { readonly kind: 'other-account'; readonly account: string }
  | { readonly kind: 'too-little'; readonly balance: bigint };

/** Milliseconds between two checks: people switch and top up in the wallet, next to the page. */
const POLL_MS = 4_000;

/** Checks chain, account and balance of the wallet before it is asked to sign. */
export function useWalletCheck(needs: Needs): {
  readonly check: WalletCheck;
  readonly wallet: Wallet | undefined;
  readonly again: () => void;
} {
  const named = useWallet();
  const { data, refetch } = useQuery({
    queryKey: ['wallet', named?.id ?? '', { ...needs, amount: needs.amount.toString() }],
    queryFn: async () => (named === undefined ? null : await checkWallet(named.wallet, needs)),
    enabled: named !== undefined,
    refetchInterval: POLL_MS,
    staleTime: 0,
  });
  const check: WalletCheck =
    named === undefined ? { kind: 'no-wallet' } : (data ?? { kind: 'checking' });
  return { check, wallet: named?.wallet, again: () => void refetch() };
}

/** Finds the first thing that the wallet lacks for a payment; `ready` if it lacks nothing. */
async function checkWallet(wallet: Wallet, needs: Needs): Promise<WalletCheck> {
  const accounts = await accountsOf(wallet).catch(() => undefined);
  const [first] = accounts ?? [];
  if (accounts !== undefined && first === undefined) return { kind: 'not-connected' };
  if (first !== undefined && accounts?.includes(needs.address.toLowerCase()) === false) {
    return { kind: 'other-account', account: first };
  }
  const chainId = await chainOf(wallet);
  if (chainId !== needs.chainId) return { kind: 'other-chain', chainId };
  // A wallet that reads no contracts can still sign: then the contract decides.
  const balance = await balanceOf(wallet, needs.token, needs.address).catch(() => undefined);
  return balance !== undefined && balance < needs.amount
    ? { kind: 'too-little', balance }
    : { kind: 'ready' };
}
