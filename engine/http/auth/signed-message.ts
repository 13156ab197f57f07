import type { SiweMessage } from 'viem/siwe';
import { useNonce } from '../../db/commerce/nonces.ts';
import type { AppDeps } from '../deps.ts';
import { UnauthenticatedError } from '../errors.ts';
import { checkMessage, readMessage } from './siwe.ts';
import { isSignedBy } from './wallet.ts';

/**
 * Checks an EIP-4361 message and its signature. The message is good for one try, for its nonce is
 * used up before the signature is looked at; of any number of the same at once, one passes.
 * @throws {UnauthenticatedError} saying what does not hold.
 */
export async function verifySigned(
  { message: text, signature }: { readonly message: string; readonly signature: `0x${string}` },
  deps: AppDeps,
  origin: string | undefined,
  now: Date,
): Promise<SiweMessage> {
  const message = readMessage(text);
  checkMessage(message, {
    chainId: deps.deployment.chainId,
    allowedOrigins: deps.allowedOrigins,
    origin,
    now,
  });
  if (!(await useNonce(deps.pool, message.nonce, now))) {
    throw new UnauthenticatedError(
      'The nonce is not one of ours, or used or expired: get another.',
    );
  }
  const { address } = message;
  if (!(await isSignedBy(deps.client, { address, message: text, signature }))) {
    throw new UnauthenticatedError(`The signature is not one of ${address} over this message.`);
  }
  return message;
}
