import { createSiweMessage } from 'viem/siwe';
import { chooseAccount, signText, type Wallet } from './wallet.ts';

/** A nonce of the service, and the chain that the message names. */
interface Challenge {
  readonly nonce: string;
  readonly chainId: number;
}

/**
 * Lets the wallet sign a text that names this page, the chain and a nonce (EIP-4361).
 * @param statement sentence that the wallet shows: what the signature is for.
 * @throws {WalletError} if the wallet refuses.
 */
export async function signMessage(wallet: Wallet, challenge: Challenge, statement: string) {
  const address = await chooseAccount(wallet);
  const message = createSiweMessage({
    address,
    domain: location.host,
    uri: location.origin,
    version: '1',
    chainId: challenge.chainId,
    nonce: challenge.nonce,
    issuedAt: new Date(),
    statement,
  });
  return { message, signature: await signText(wallet, address, message) };
}
