import type { Address, Hex } from '../../core/events.ts';
import { toInteger } from './ids.ts';
import type { TransactionPlace } from './policy-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** A payout of a campaign to an account. */
export interface ClaimView {
  readonly campaignId: string;
  readonly seq: string;
  /** Base units. */
  readonly amount: bigint;
  /** Whether the token refused it: the event right after it credits it. */
  readonly credited: boolean;
  readonly claim: TransactionPlace;
}

/** Where a page of claims ended. */
export interface ClaimPlace {
  readonly blockNumber: string;
  readonly campaignId: string;
  readonly seq: string;
}

interface ClaimQuery {
  readonly campaignId: string | undefined;
  readonly after: ClaimPlace | undefined;
  readonly limit: number;
}

/** What was paid to an account, newest block first: one statement. */
export async function listClaims(
  { sql, head }: Snapshot,
  account: Address,
  { campaignId, after, limit }: ClaimQuery,
): Promise<ClaimView[]> {
  const rows = await sql<
    {
      campaign_id: string;
      seq: string;
      amount: string;
      credited: boolean;
      block_number: string;
      block_timestamp: string;
      transaction_hash: Hex;
    }[]
  >`
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
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    seq: row.seq,
    amount: BigInt(row.amount),
    credited: row.credited,
    claim: {
      hash: row.transaction_hash,
      blockNumber: toInteger(row.block_number),
      timestamp: toInteger(row.block_timestamp),
    },
  }));
}
