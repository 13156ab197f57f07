import type { PublicClient } from 'viem';
import { rpcClient } from '../chain/client.ts';
import { type IdentifiedBy, identityOf } from '../chain/identity.ts';
import { agree, RpcDisagreementError } from '../chain/quorum.ts';
import type { Verification } from '../verify/index.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** RPCs that a person trusts. */
export interface TrustedRpcs extends IdentifiedBy {
  readonly rpcUrls: readonly string[];
  /** Number of RPCs that must come to the same verdict; 1: they are tried in turn. */
  readonly rpcQuorum: number;
}

/** An RPC could not check the sale. */
class UncheckedError extends Error {}

/**
 * Verifies with the first RPC that responds, or with each of them if several must agree. An RPC that could not check
 * says nothing: if too many could not, the result is `unavailable`.
 * @throws {CommandError} if enough could check, and fewer than the quorum came to one verdict.
 */
export async function verifyByQuorum(
  { rpcUrls, rpcQuorum, ...chain }: TrustedRpcs,
  verify: (client: PublicClient) => Promise<Verification>,
): Promise<Verification> {
  const identity = identityOf(rpcUrls, chain);
  if (rpcQuorum === 1) return await verify(rpcClient(rpcUrls, { identity }));
  const found = new Map<string, Verification>();
  try {
    const verdict = await agree([...new Set(rpcUrls)], rpcQuorum, 'the sale', async (url) => {
      const verification = await verify(rpcClient([url], { identity }));
      found.set(verification.verdict, verification);
      if (verification.verdict === 'unavailable') throw new UncheckedError();
      return verification.verdict;
    });
    return found.get(verdict) as Verification;
  } catch (error) {
    const unchecked = found.get('unavailable');
    if (error instanceof UncheckedError && unchecked !== undefined) return unchecked;
    if (!(error instanceof RpcDisagreementError)) throw error;
    throw new CommandError(`${error.message} (RPC_QUORUM).`, exitCodes.unavailable);
  }
}
