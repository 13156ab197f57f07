import type { UniversalProvider as ProviderClass } from '@walletconnect/universal-provider';
import { numberToHex } from 'viem';
import { WALLETCONNECT_META } from '../../../engine/contract/pages.ts';
import { api } from '../api.ts';
import { type Wallet, WalletError } from './wallet.ts';

type UniversalProvider = InstanceType<typeof ProviderClass>;

/** Methods that a wallet behind the relay is asked for. */
const METHODS = [
  ...['personal_sign', 'eth_signTypedData_v4'],
  ...['eth_sendTransaction', 'wallet_switchEthereumChain', 'wallet_addEthereumChain'],
  ...['wallet_getCapabilities', 'wallet_sendCalls', 'wallet_getCallsStatus'],
];
const EVENTS = ['accountsChanged', 'chainChanged'];

/** Project at WalletConnect, as the service named it in this page; `undefined` if it has none. */
export function walletConnectProject(): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${WALLETCONNECT_META}"]`)?.content;
}

let provider: Promise<UniversalProvider> | undefined;
let pairingUri: string | undefined;
let giveUp: () => void = () => undefined;
const listeners = new Set<() => void>();

/** The address that a wallet scans or opens to be paired; `undefined` while none is being paired. */
export const pairing = {
  current: () => pairingUri,
  subscribe(changed: () => void) {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
  /** Gives up the attempt: the sign-in that waits for it fails. */
  cancel: () => giveUp(),
};

function showUri(uri: string | undefined): void {
  pairingUri = uri;
  for (const changed of listeners) changed();
}

/** A wallet on another device, behind the relay of WalletConnect. Its code is loaded when it is first asked. */
export const walletConnectWallet: Wallet = {
  async request({ method, params = [] }) {
    provider ??= loadProvider();
    const loaded = await provider.catch((error: unknown) => {
      provider = undefined;
      throw error;
    });
    if (method === 'eth_requestAccounts' && loaded.session === undefined) await pair(loaded);
    // A page that was paired and lost its session has no account.
    if (loaded.session === undefined) return method === 'eth_accounts' ? [] : notPaired();
    const result = await loaded.request({ method, params: [...params] });
    return method === 'eth_chainId' ? numberToHex(Number(result)) : result;
  },
};

function notPaired(): never {
  throw new WalletError('The wallet is not paired with this page any more: sign in again.');
}

async function loadProvider(): Promise<UniversalProvider> {
  const { UniversalProvider: Provider } = await import('@walletconnect/universal-provider');
  return await Provider.init({
    projectId: walletConnectProject() ?? '',
    metadata: {
      name: 'Tributary',
      description: 'Referral commerce with receipts that anyone can check.',
      url: location.origin,
      icons: [`${location.origin}/favicon.svg`],
    },
  });
}

/** Pairs a wallet: shows the address to scan until a wallet has accepted. */
async function pair(loaded: UniversalProvider): Promise<void> {
  const { data } = await api.system.status();
  const chain = `eip155:${data.deployment.chainId}`;
  const eip155 = { chains: [chain], methods: METHODS, events: EVENTS };
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = () => {
      loaded.abortPairingAttempt();
      reject(new Error('you closed the window'));
    };
  });
  loaded.on('display_uri', showUri);
  try {
    // The library goes on waiting after an attempt was given up.
    await Promise.race([loaded.connect({ optionalNamespaces: { eip155 } }), givenUp]);
    loaded.setDefaultChain(chain);
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'no answer';
    throw new WalletError(`No wallet was paired: ${reason}.`, { cause: error });
  } finally {
    loaded.off('display_uri', showUri);
    showUri(undefined);
  }
}
