import { createStore } from 'mipd';
import { useSyncExternalStore } from 'react';
import { demoWallet } from '../demo/demo.ts';
import { storedValue, storeValue } from '../storage.ts';
import { browserWallet, type Wallet } from './wallet.ts';
import { walletConnectProject, walletConnectWallet } from './walletconnect.ts';

/** A wallet that the person can choose. */
export interface NamedWallet {
  /** Stable name of the wallet's program, `io.metamask`. */
  readonly id: string;
  readonly name: string;
  /** Image as a data URI, as the wallet announced it. */
  readonly icon?: string;
  readonly wallet: Wallet;
}

/** Wallets that announce themselves to this page (EIP-6963). */
const announced = createStore();

const WALLETCONNECT: NamedWallet = {
  id: 'walletconnect',
  name: 'WalletConnect',
  wallet: walletConnectWallet,
};

let known: readonly NamedWallet[] = [];

function walletsNow(): readonly NamedWallet[] {
  const found = announced.getProviders().map(({ info, provider }) => ({
    id: info.rdns,
    name: info.name,
    icon: info.icon,
    wallet: provider as Wallet,
  }));
  const other = found.length === 0 ? browserWallet() : undefined;
  const now: NamedWallet[] = [
    ...(other ? [{ id: 'injected', name: 'Browser wallet', wallet: other }] : found),
    ...(walletConnectProject() === undefined ? [] : [WALLETCONNECT]),
  ];
  // The same list must be the same object: React compares it.
  if (now.length !== known.length || now.some(({ wallet }, i) => wallet !== known[i]?.wallet)) {
    known = now;
  }
  return known;
}

/**
 * The wallets of this browser: those that announce themselves, otherwise the one at `window.ethereum`; and WalletConnect
 * if the service has a project there.
 */
export function useWallets(): readonly NamedWallet[] {
  return useSyncExternalStore(announced.subscribe, walletsNow);
}

const CHOSEN = 'wallet';

/** Remembers which wallet signed in, so that later transactions go to the same one. */
export function rememberWallet({ id }: NamedWallet): void {
  storeValue(CHOSEN, id);
}

/** True if a wallet has signed in with this browser before. */
export function hasSignedIn(): boolean {
  return localStorage.getItem(CHOSEN) !== null;
}

/** The wallet that signed in, if this browser still has it; otherwise the first. */
export function useWallet(): NamedWallet | undefined {
  return chosenOf(useWallets());
}

/** As `useWallet`, outside of a component. */
export function chosenWallet(): NamedWallet | undefined {
  return chosenOf(walletsNow());
}

function chosenOf(wallets: readonly NamedWallet[]): NamedWallet | undefined {
  const chosen = storedValue(CHOSEN);
  return demoWallet(chosen) ?? wallets.find(({ id }) => id === chosen) ?? wallets[0];
}
