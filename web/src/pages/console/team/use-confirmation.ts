import { signChallenge } from '../../../account/use-session.ts';
import { useWallet } from '../../../account/wallets.ts';
import { useActing } from '../acting.tsx';

/** A function that lets the wallet sign, and returns the token for a write that always needs one. */
export function useConfirmation(): () => Promise<string> {
  const { api, session } = useActing();
  const wallet = useWallet()?.wallet;
  return async () => {
    if (wallet === undefined) throw new Error('This browser has no wallet to confirm with.');
    const { data: challenge } = await api.auth.nonce();
    const statement = 'Confirm a sensitive change at Tributary. This moves nothing.';
    const signed = await signChallenge(wallet, session.address, challenge, statement);
    const { data } = await api.auth.confirm(signed);
    return data.confirmationToken;
  };
}
