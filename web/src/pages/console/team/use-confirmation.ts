import { confirmInWallet } from '../../../account/confirm.ts';
import { useActing } from '../acting.tsx';

/** A function that lets the wallet sign, and returns the token for a write that always needs one. */
export function useConfirmation(): () => Promise<string> {
  const { api } = useActing();
  return async () => {
    const { data: challenge } = await api.auth.nonce();
    const { data } = await api.auth.confirm(await confirmInWallet(challenge));
    return data.confirmationToken;
  };
}
