import type { Address } from '../../../core/events.ts';
import { amount, flag, id, rowCodec, type StoredRow, type View } from '../../row.ts';
import { transactionRow } from '../../rows/event.ts';
import type { Snapshot } from '../snapshot.ts';

const claimView = rowCodec({
  campaignId: id,
  seq: id,
  /** Base units. */
  amount,
  /** True if the token refused the payment: the next event credits it to the account. */
  credited: flag,
  claim: transactionRow.fields,
});

/** A payout of a campaign to an account. */
export type ClaimView = View<typeof claimView>;

/** Cursor of a page of claims: its last claim. */
export interface ClaimCursor {
  readonly blockNumber: string;
  readonly campaignId: string;
  readonly seq: string;
}

interface ClaimQuery {
  readonly campaignId: string | undefined;
  readonly after: ClaimCursor | undefined;
  readonly limit: number;
}

/** Payouts to an account, newest block first: one statement. */
export async function listClaims(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, after, limit }: ClaimQuery,
): Promise<ClaimView[]> {
  const rows = await sql<StoredRow[]>`
    select claim.campaign_id, claim.seq, claim.amount, journal.block_number,
      journal.block_timestamp, journal.transaction_hash, exists (
        select 1 from ledger.journal next
        where next.campaign_id = claim.campaign_id and next.seq = claim.seq + 1
          and next.name = 'PaymentCredited'
      ) as credited
    from ledger.entry claim
    join ledger.journal journal
      on journal.campaign_id = claim.campaign_id and journal.seq = claim.seq
    where claim.account = ${account} and claim.kind = 'claim'
      and claim.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and claim.campaign_id = ${campaignId}`}
      ${
        after
          ? sql`and (claim.block_number, claim.campaign_id, claim.seq)
              < (${after.blockNumber}::bigint, ${after.campaignId}::bigint, ${after.seq}::bigint)`
          : sql``
      }
    order by claim.block_number desc, claim.campaign_id desc, claim.seq desc limit ${limit}`;
  return rows.map(claimView.decode);
}
