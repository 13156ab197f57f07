import type { SiweMessage } from 'viem/siwe';
import { useNonce } from '../../db/commerce/nonces.ts';
import type { AppDeps } from '../deps.ts';
import { UnauthenticatedError } from '../errors.ts';
import type { Caller } from './guard.ts';
import { checkMessage, readMessage } from './siwe.ts';
import { amongWalletChecks, isSignedByKey, isSignedByWallet } from './wallet.ts';

/**
 * Checks an EIP-4361 message and its signature. The message is good for one try, for its nonce is
 * used up before the signature is looked at; of any number of the same at once, one passes.
 * @throws {UnauthenticatedError} saying what does not hold.
 * @throws {TooManyAtOnceError} if too many contract wallets are being asked.
 */
export async function verifySigned(
  { message: text, signature }: { readonly message: string; readonly signature: `0x${string}` },
  deps: AppDeps,
  { origin, ip }: Pick<Caller, 'origin' | 'ip'>,
  now: Date,
): Promise<SiweMessage> {
  const message = readMessage(text);
  checkMessage(message, {
    chainId: deps.deployment.chainId,
    allowedOrigins: deps.allowedOrigins,
    origin,
    now,
  });
  const { address } = message;
  const signed = { address, message: text, signature };
  const useUp = async () => {
    if (await useNonce(deps.pool, message.nonce, now)) return;
    throw new UnauthenticatedError(
      'The nonce is not one of ours, or used or expired: get another.',
    );
  };
  if (await isSignedByKey(signed)) {
    await useUp();
    return message;
  }
  // One that is refused for lack of a place keeps its nonce, and can be tried again.
  const passes = await amongWalletChecks(ip, async () => {
    await useUp();
    return await isSignedByWallet(deps, signed);
  });
  if (passes) return message;
  throw new UnauthenticatedError(`The signature is not one of ${address} over this message.`);
}
