import type { Address } from '../../../core/events.ts';
import { limitTo } from '../../planner.ts';
import {
  address,
  amount,
  id,
  integer,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import { balancesAfterRow } from '../../rows/event.ts';
import { newestMovement } from '../as-of/balance.ts';
import { newestEvent } from '../as-of/campaign.ts';
import type { Snapshot } from '../snapshot.ts';

const accountBalance = rowCodec({
  campaignId: id,
  token: {
    address: address.from('token'),
    symbol: text.from('token_symbol'),
    decimals: small.from('token_decimals'),
    name: text.from('token_name'),
  },
  balances: balancesAfterRow.fields,
  /** Base units. */
  credit: amount,
  /** Sequence number of the newest event that moved its money; 0 without one. */
  seq: integer,
  /** Block of that event, or of the newest event that changed its credit. */
  newestBlock: integer,
});

/** Balances of an account in a campaign, base units. */
export type AccountBalance = View<typeof accountBalance>;

/** Balances of an account by campaign id: one statement, with a few index probes for each campaign. */
export async function accountBalances(
  { sql, head }: Snapshot,
  account: Address,
  page: {
    readonly campaignId: string | undefined;
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<AccountBalance[]> {
  const { campaignId, after, limit } = page;
  const balanceAt = { campaignId: sql`member.campaign_id`, account, seq: sql`campaign_state.seq` };
  const isOnPage = sql`
    account = ${account}
    ${campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}::bigint`}
    ${after === undefined ? sql`` : sql`and campaign_id > ${after}::bigint`}`;
  const rows = await sql<StoredRow[]>`
    select member.campaign_id, campaign.token, campaign.token_symbol, campaign.token_decimals,
      campaign.token_name, coalesce(balance.reserved_after, 0) as reserved_after,
      coalesce(balance.claimable_after, 0) as claimable_after,
      coalesce(balance.claimed_after, 0) as claimed_after,
      coalesce(balance.refunded_after, 0) as refunded_after,
      coalesce(balance.reversed_after, 0) as reversed_after,
      coalesce(credited.credit_after, 0) as credit, coalesce(balance.seq, 0) as seq,
      greatest(balance.block_number, credited.block_number) as newest_block
    from (
      select campaign_id from ledger.bucket where ${isOnPage}
      union
      select campaign_id from ledger.credit where ${isOnPage}
    ) member
    join ledger.campaign campaign on campaign.campaign_id = member.campaign_id
    join lateral ${newestEvent(sql, head, sql`member.campaign_id`, sql`seq`)} campaign_state on true
    left join lateral ${newestMovement(sql, balanceAt)} balance on true
    left join lateral (
      select credit_after, block_number from ledger.credit
      where campaign_id = member.campaign_id and credit.account = ${account}
        and seq <= campaign_state.seq
      order by seq desc limit 1
    ) credited on true
    -- All events that concern the account can be later than the block.
    where balance.seq is not null or credited.block_number is not null
    order by member.campaign_id ${limitTo(sql, limit)}`;
  return rows.map(accountBalance.decode);
}
