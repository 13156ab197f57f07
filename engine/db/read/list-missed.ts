import type { Address } from '../../core/events.ts';
import type { CapReason } from '../../core/split.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

/** What a cap cost an account at one level of a sale. */
export interface MissedRow {
  readonly saleId: string;
  readonly campaignId: string;
  readonly level: number;
  readonly nodeId: string;
  readonly reason: CapReason;
  /** Base units. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly recordedAt: number;
}

/** Where a page of them ended. */
export interface MissedPlace {
  readonly saleId: string;
  readonly campaignId: string;
  readonly level: string;
  readonly reason: string;
}

interface MissedQuery {
  readonly campaignId: string | undefined;
  readonly reason: CapReason | undefined;
  readonly after: MissedPlace | undefined;
  readonly limit: number;
}

/** What the caps cost an account, newest sale first: one statement. */
export async function listMissed(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, reason, after, limit }: MissedQuery,
): Promise<MissedRow[]> {
  const rows = await sql<
    {
      sale_id: string;
      campaign_id: string;
      level: number;
      node_id: string;
      reason: CapReason;
      amount: string;
      block_timestamp: string;
    }[]
  >`
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
  return rows.map((row) => ({
    saleId: row.sale_id,
    campaignId: row.campaign_id,
    level: row.level,
    nodeId: row.node_id,
    reason: row.reason,
    amount: BigInt(row.amount),
    recordedAt: toInteger(row.block_timestamp),
  }));
}
