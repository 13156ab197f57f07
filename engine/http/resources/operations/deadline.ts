import { atPendingBlock } from '../../../chain/blocks.ts';
import type { AppDeps } from '../../deps.ts';
import { notReady } from '../../errors.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';

/** Seconds that a signature may be valid (docs/reference/protocol.md#what-is-signed). */
export const MAX_VALIDITY_SECONDS = 900;

/** Seconds less than the most, because the clock of the node that answers may be ahead of the next block's. */
const MARGIN_SECONDS = 60;

/** Deadline for something that is signed now, unix seconds. @throws {HttpError} NOT_READY as `nextBlockTime`. */
export async function nextDeadline(deps: Pick<AppDeps, 'client'>): Promise<bigint> {
  return BigInt((await nextBlockTime(deps)) + MAX_VALIDITY_SECONDS - MARGIN_SECONDS);
}

/** As `nextBlockTime`; `null` if the chain does not answer. */
export async function nextBlockTimeOrNull(deps: Pick<AppDeps, 'client'>): Promise<number | null> {
  return await nextBlockTime(deps).catch(() => null);
}

/**
 * Time of the next block, unix seconds. On a quiet chain, the settled block may be long ago.
 * @throws {HttpError} NOT_READY if the chain does not answer.
 */
export async function nextBlockTime({ client }: Pick<AppDeps, 'client'>): Promise<number> {
  const next = atPendingBlock((blockTag) => client.getBlock({ blockTag }));
  const { timestamp } = await withTimeout(next, CHAIN_ANSWER_MS).catch(() => {
    throw notReady('chain', 'The chain did not answer with its time: try again.');
  });
  return Number(timestamp);
}
