import type { z } from 'zod';
import { registry } from '../contract/registry.ts';

/** Nonce and chain id for the message to sign. */
export type ConfirmChallenge = z.infer<typeof registry.auth.nonce.output>;

/** Asks the wallet to sign an EIP-4361 message with the nonce. */
export type Confirm = (
  challenge: ConfirmChallenge,
) => Promise<{ readonly message: string; readonly signature: `0x${string}` }>;

type Send = (
  input?: Readonly<Record<string, unknown>>,
  options?: { readonly signal?: AbortSignal },
) => Promise<{ readonly data: unknown }>;

/** True if a method's body has the field `confirmationToken`. */
export function acceptsConfirmation(body: z.ZodObject): boolean {
  return Object.hasOwn(body.shape, 'confirmationToken');
}

/** Asks the wallet for a fresh signature, and returns the session's new confirmation token. */
export async function freshConfirmation(
  calls: { readonly nonce: Send; readonly confirm: Send },
  confirm: Confirm,
  options: { readonly signal?: AbortSignal },
): Promise<string> {
  const challenge = registry.auth.nonce.output.parse((await calls.nonce({}, options)).data);
  const signed = await confirm(challenge);
  const { data } = await calls.confirm(signed, options);
  return registry.auth.confirm.output.parse(data).confirmationToken;
}
