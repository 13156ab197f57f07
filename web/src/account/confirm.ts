import type { Confirm } from '../../../engine/client/index.ts';
import { signMessage } from './sign-message.ts';
import { WalletError } from './wallet.ts';
import { chosenWallet } from './wallets.ts';

/** Asks the wallet for a new signature, which changes to the account’s own settings need. */
export const confirmInWallet: Confirm = async (challenge) => {
  const named = chosenWallet();
  if (named === undefined)
    throw new WalletError('This browser has no wallet to confirm this with.');
  return await signMessage(
    named.wallet,
    challenge,
    'Confirm a change of your settings at Tributary. This costs nothing and moves nothing.',
  );
};
