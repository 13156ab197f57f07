import { hexBytes } from '../../hex.ts';
import { integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import type { Person } from '../../tables/commerce.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinBeforeChange, saleRefunded, saleState } from '../as-of/sale.ts';
import { isAwaited, refundGoalSql } from '../disputes/rows.ts';
import { type MerchantStake, merchantStake } from '../merchants/stake.ts';
import type { Snapshot } from '../snapshot.ts';

const ownStake = rowCodec({
  /** Refund requests of the account as a buyer that are not answered or not refunded. */
  refundRequests: integer,
  /** Other members of teams that the account owns. */
  members: integer,
  /** Teams that it owns for another merchant, and its own team if another account owns it. */
  otherTeams: integer,
});

/** Open sales, disputes, requests and teams of an account, as of the settled block. */
export interface AccountStake extends View<typeof ownStake> {
  /** As a merchant; `null` if another account owns its team. */
  readonly merchant: MerchantStake | null;
}

/** Open sales, disputes, requests and teams of an account: four statements at most. */
export async function accountStake(snapshot: Snapshot, person: Person): Promise<AccountStake> {
  const { sql, head } = snapshot;
  const { account, merchant } = person;
  const [row] = await sql<StoredRow[]>`
    select (
      select count(*) from commerce.dispute dispute
      join ledger.sale sale on sale.buyer = ${hexBytes(sql, sql`dispute.buyer`)}
      and sale.order_key = ${hexBytes(sql, sql`dispute.order_key`)}
        and sale.campaign_id = dispute.campaign_id and sale.block_number <= ${head.number}
      join lateral ${newestEvent(sql, head, sql`sale.campaign_id`, sql`seq`)} campaign_state on true
      ${joinBeforeChange(sql, sql`campaign_state.seq`)}
      where dispute.buyer = ${account} and ${isAwaited(sql)}
        and ${saleState(sql)} = 'pending' and ${saleRefunded(sql)} < ${refundGoalSql(sql)}
    ) as refund_requests, (
      select count(*) from commerce.team_member own
      join commerce.team_member other on other.merchant = own.merchant
        and other.account <> own.account and other.status <> 'removed'
      where own.account = ${account} and own.role = 'owner' and own.status = 'active'
    ) as members, (
      select count(*) from commerce.team_member owner
      where owner.role = 'owner'
        and ((owner.account = ${account} and owner.merchant <> ${account})
          or (owner.merchant = ${account} and owner.account <> ${account}))
    ) as other_teams`;
  if (row === undefined) throw new Error('A select of counts returned no row.');
  const stake = merchant === null ? null : await merchantStake(snapshot, merchant);
  return { ...ownStake.decode(row), merchant: stake };
}

/** True if something of an account is open that prevents its deletion. */
export function isAnythingOpen({
  merchant,
  refundRequests,
  members,
  otherTeams,
}: AccountStake): boolean {
  if (refundRequests + members + otherTeams > 0) return true;
  if (merchant === null) return false;
  const { pending, liveCampaigns, openDisputes } = merchant;
  return liveCampaigns + openDisputes + pending.sales > 0;
}
