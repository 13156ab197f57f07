import type { Address } from '../../../core/events.ts';
import type { CapReason } from '../../../core/split.ts';
import { id, rowCodec, type StoredRow, seconds, type View } from '../../row.ts';
import { missedRewardRow } from '../../rows/sale.ts';
import type { Snapshot } from '../snapshot.ts';

const { recipient: _recipient, ...missedFields } = missedRewardRow.fields;

const missedReward = rowCodec({
  ...missedFields,
  campaignId: id,
  /** When the sale was recorded. */
  recordedAt: seconds.from('block_timestamp'),
});

/** A reward that an account lost to a cap at one level of a sale, in base units. */
export type MissedRewardView = View<typeof missedReward>;

/** Cursor of a page of missed rewards: its last one. */
export interface MissedCursor {
  readonly saleId: string;
  readonly campaignId: string;
  readonly level: string;
  readonly reason: string;
}

interface MissedQuery {
  readonly campaignId: string | undefined;
  readonly reason: CapReason | undefined;
  readonly after: MissedCursor | undefined;
  readonly limit: number;
}

/** Rewards that an account lost to caps, newest sale first: one statement. */
export async function listMissed(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, reason, after, limit }: MissedQuery,
): Promise<MissedRewardView[]> {
  const rows = await sql<StoredRow[]>`
    select missed.sale_id, missed.campaign_id, missed.level, missed.node_id, missed.reason,
      missed.amount, sale.block_timestamp
    from ledger.missed_reward missed
    join ledger.sale sale
      on sale.campaign_id = missed.campaign_id and sale.sale_id = missed.sale_id
    where missed.recipient = ${account} and sale.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and missed.campaign_id = ${campaignId}`}
      ${reason === undefined ? sql`` : sql`and missed.reason = ${reason}`}
      ${
        after
          ? sql`and missed.sale_id <= ${after.saleId}::bigint
            and (missed.sale_id, missed.campaign_id, missed.level, missed.reason)
              < (${after.saleId}::bigint, ${after.campaignId}::bigint, ${after.level}::smallint,
                ${after.reason})`
          : sql``
      }
    order by missed.sale_id desc, missed.campaign_id desc, missed.level desc, missed.reason desc
    limit ${limit}`;
  return rows.map(missedReward.decode);
}
