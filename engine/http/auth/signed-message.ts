import type { SiweMessage } from 'viem/siwe';
import { useNonce } from '../../db/commerce/nonces.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import type { Caller } from './guard.ts';
import { checkMessage, readMessage } from './siwe.ts';
import { amongWalletChecks, isSignedByKey, isSignedByWallet } from './wallet.ts';

/**
 * Checks an EIP-4361 message and its signature. A message is valid for one attempt, because its nonce is
 * used up before the signature is checked: of several concurrent attempts, one succeeds.
 * @throws {HttpError} UNAUTHENTICATED with the reason.
 * @throws {HttpError} RATE_LIMITED if too many contract wallets are being checked.
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
    throw new HttpError('UNAUTHENTICATED', 'The nonce is unknown, used or expired: get a new one.');
  };
  if (await isSignedByKey(signed)) {
    await useUp();
    return message;
  }
  // A message that is rejected because of the limit keeps its nonce, and can be sent again.
  const passes = await amongWalletChecks(ip, async () => {
    await useUp();
    return await isSignedByWallet(deps, signed);
  });
  if (passes) return message;
  throw new HttpError(
    'UNAUTHENTICATED',
    `The signature is not one of ${address} over this message.`,
  );
}
