import type { ChainMeta } from '../contract/envelope.ts';
import type { Address } from '../core/events.ts';
import { type DisputeMessage, disputeMessages } from '../db/commerce/disputes.ts';
import type { DisputeView } from '../db/read/dispute-rows.ts';
import { getDispute } from '../db/read/disputes.ts';
import { readLedger } from '../db/read/snapshot.ts';
import type { AppDeps } from './deps.ts';
import { NotFoundError } from './errors.ts';
import { chainMeta } from './handler.ts';

/** A dispute with its messages, as one of its two sides may read it. */
export interface OwnDispute {
  readonly dispute: DisputeView;
  readonly messages: readonly DisputeMessage[];
  readonly chain: ChainMeta;
}

/** @throws {NotFoundError} where there is none of that id, or the caller is neither of its sides. */
export async function ownDispute(
  { pool, deployment }: Pick<AppDeps, 'pool' | 'deployment'>,
  id: string,
  party: Address,
): Promise<OwnDispute> {
  return await readLedger(pool, async (snapshot) => {
    const dispute = await getDispute(snapshot, { id, party });
    if (dispute === undefined) throw new NotFoundError(`You have no dispute ${id}.`);
    return {
      dispute,
      messages: await disputeMessages(snapshot.sql, id),
      chain: chainMeta(
        deployment,
        snapshot.head,
        dispute.sale.newestBlock,
        dispute.sale.campaignId,
      ),
    };
  });
}
