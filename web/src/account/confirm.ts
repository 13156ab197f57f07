import type { Confirm } from '../../../engine/client/index.ts';
import { confirmStatement } from './confirm-statement.ts';
import { signMessage } from './sign-message.ts';
import { WalletError } from './wallet.ts';
import { chosenWallet } from './wallets.ts';

/** Asks the wallet for a new signature, which names what is done. */
export const confirmInWallet: Confirm = async (challenge, { method, input }) => {
  const named = chosenWallet();
  if (named === undefined)
    throw new WalletError('This browser has no wallet to confirm this with.');
  return await signMessage(named.wallet, challenge, confirmStatement(method, input));
};
