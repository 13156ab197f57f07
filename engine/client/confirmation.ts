import type { z } from 'zod';
import type { registry } from '../contract/registry.ts';
import { badResponse } from './error.ts';
import { type Check, isInteger, isText, matches, objectOf } from './shape.ts';

/** Nonce and chain id for the message to sign. */
export type ConfirmChallenge = z.infer<typeof registry.auth.nonce.output>;

/** Call that needs a signature, so that the message can name what it does. */
export interface ConfirmedCall {
  /** `apiKeys.create` */
  readonly method: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Asks the wallet to sign an EIP-4361 message with the nonce. */
export type Confirm = (
  challenge: ConfirmChallenge,
  call: ConfirmedCall,
) => Promise<{ readonly message: string; readonly signature: `0x${string}` }>;

type Send = (
  input?: Readonly<Record<string, unknown>>,
  options?: { readonly signal?: AbortSignal },
) => Promise<{ readonly data: unknown }>;

/**
 * Asks the wallet for a fresh signature, and returns the session's new confirmation token.
 * @throws {ApiError} BAD_RESPONSE if the service returns something else than a challenge or a token.
 */
export async function freshConfirmation(
  calls: { readonly nonce: Send; readonly confirm: Send },
  confirm: (challenge: ConfirmChallenge) => ReturnType<Confirm>,
  options: { readonly signal?: AbortSignal },
): Promise<string> {
  const challenge = (await calls.nonce({}, options)).data;
  if (!isChallenge(challenge)) throw badResponse('auth.nonce returned no challenge.');
  const { data } = await calls.confirm(await confirm(challenge), options);
  if (!hasToken(data)) throw badResponse('auth.confirm returned no token.');
  return data.confirmationToken;
}

/** A challenge for a wallet to sign: its nonce becomes a part of the message. */
const isChallenge: Check<ConfirmChallenge> = objectOf({
  nonce: matches(/^[A-Za-z0-9]{8,128}$/),
  expiresAt: isText,
  chainId: isInteger(1, Number.MAX_SAFE_INTEGER),
});

const hasToken: Check<{ readonly confirmationToken: string }> = objectOf({
  confirmationToken: matches(/^.{32,128}$/),
});
