import type { ChainMeta } from '../../../contract/envelope.ts';
import type { Address } from '../../../core/events.ts';
import { type DisputeMessage, disputeMessages } from '../../../db/commerce/disputes.ts';
import type { DisputeWithTerms } from '../../../db/read/disputes/list.ts';
import { getDispute } from '../../../db/read/disputes/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { chainMeta } from '../../handler-types.ts';

/** Dispute with its messages, as its buyer and its merchant may read it. */
export interface OwnDispute {
  readonly dispute: DisputeWithTerms;
  readonly messages: readonly DisputeMessage[];
  readonly chain: ChainMeta;
}

/**
 * Dispute of the caller.
 * @param role side on which the caller must be; by default either.
 * @throws {HttpError} NOT_FOUND if the caller has no dispute of that id on that side.
 */
export async function ownDispute(
  { pool, deployment }: Pick<AppDeps, 'pool' | 'deployment'>,
  id: string,
  address: Address,
  role: 'buyer' | 'either' = 'either',
): Promise<OwnDispute> {
  return await readLedger(pool, async (snapshot) => {
    const dispute = await getDispute(snapshot, id, { role, address });
    if (dispute === undefined) {
      throw notFound(`You have no ${role === 'buyer' ? 'refund request' : 'dispute'} ${id}.`);
    }
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
