import type { AppDeps } from '../../deps.ts';
import { notReady } from '../../errors.ts';
import { withTimeout } from '../../limits/with-timeout.ts';

/** Seconds that a signature may be valid (docs/protocol.md#what-is-signed). */
const MAX_VALIDITY_SECONDS = 900;

/** Seconds less than the most, because the clock of the node that answers may be ahead of the next block's. */
const MARGIN_SECONDS = 60;

/** Milliseconds that the chain may take to answer. */
const ANSWER_MS = 5_000;

/**
 * Deadline for something that is signed now, unix seconds: by the time of the next block, because that of the
 * settled block may be long ago on a quiet chain.
 * @throws {HttpError} NOT_READY if the chain does not answer.
 */
export async function nextDeadline({ client }: Pick<AppDeps, 'client'>): Promise<bigint> {
  const next = client
    .getBlock({ blockTag: 'pending' })
    .catch(() => client.getBlock({ blockTag: 'latest' }));
  const { timestamp } = await withTimeout(next, ANSWER_MS).catch(() => {
    throw notReady('chain', 'The chain did not answer with its time: try again.');
  });
  return timestamp + BigInt(MAX_VALIDITY_SECONDS - MARGIN_SECONDS);
}
