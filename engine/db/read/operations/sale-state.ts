import type { Address } from '../../../core/events.ts';
import { type Account, emptyAccount, type Sale } from '../../../core/fold/index.ts';
import type { Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';
import {
  amount,
  as,
  byteAddress,
  flag,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
} from '../../row.ts';
import { levelRow, saleRow } from '../../rows/sale.ts';
import { newestClaim, newestMovement } from '../as-of/balance.ts';
import { joinBeforeChange, saleFinalizedAt, saleRefunded, saleState } from '../as-of/sale.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import { disputeStatusSql } from '../disputes/rows.ts';
import { levelStateRows } from '../sales/levels.ts';
import type { Snapshot } from '../snapshot.ts';

/** A campaign, and how many of its events a read covers. */
type CampaignAt = Pick<CampaignView, 'campaignId' | 'seq'>;

const saleWithLevels = rowCodec({
  ...saleRow.fields,
  levels: as<readonly StoredRow[]>(),
  isDisputed: flag,
});

/** A sale in the state that folding its next event needs. */
export interface SaleToChange extends Sale {
  /** True if the buyer's dispute is open, or accepted and not refunded yet. */
  readonly isDisputed: boolean;
}

/** Sales of a campaign with their levels, as of the settled block, in the order of their ids: one statement. */
export async function salesToChange(
  { sql, head }: Snapshot,
  { campaignId, seq, merchant }: CampaignAt & Pick<CampaignView, 'merchant'>,
  saleIds: readonly string[],
): Promise<SaleToChange[]> {
  const at = sql`${seq}::bigint`;
  const levels = levelStateRows(sql, head, {
    campaignId: sql`sale.campaign_id`,
    saleId: sql`sale.sale_id`,
    seq: at,
    isChanged: sql`(before_change.state is not null)`,
  });
  const rows = await sql<StoredRow[]>`
    select sale.sale_id, sale.buyer, sale.node_id, sale.amount, sale.pool, sale.policy_version,
      sale.hold_until, sale.order_key, sale.sku_hash, ${saleState(sql)} as state,
      ${saleRefunded(sql)} as refunded_total, ${saleFinalizedAt(sql)} as finalized_at,
      ${levels} as levels, ${isDisputed(sql, merchant)} as is_disputed
    from ledger.sale sale ${joinBeforeChange(sql, at)}
    where sale.campaign_id = ${campaignId} and sale.sale_id = any(${[...saleIds]}::bigint[])
      and sale.seq <= ${at}
    order by sale.sale_id`;
  return rows.map((row) => {
    const sale = saleWithLevels.decode(row);
    return { ...sale, levels: sale.levels.map(levelRow.decode) };
  });
}

/** A condition on `sale` after `joinBeforeChange`: its merchant still has to answer or to refund a dispute. */
export function isDisputed(sql: Sql, merchant: Address) {
  return sql`exists (
    select 1 from commerce.dispute
    where dispute.buyer = ${hexText(sql, sql`sale.buyer`)}
      and dispute.order_key = ${hexText(sql, sql`sale.order_key`)}
      and dispute.campaign_id = sale.campaign_id and dispute.merchant = ${merchant}
      and ${disputeStatusSql(sql)} in ('open', 'accepted')
  )`;
}

const balance = rowCodec({
  account: byteAddress,
  reserved: amount.from('reserved_after'),
  claimable: amount.from('claimable_after'),
  claimed: amount.from('claimed_after'),
  refunded: amount.from('refunded_after'),
  reversed: amount.from('reversed_after'),
  lastClaimSeq: nullable(integer),
});

/** Balances of accounts in a campaign, as of the settled block: one statement. */
export async function accountsToChange(
  { sql }: Pick<Snapshot, 'sql'>,
  { campaignId, seq }: CampaignAt,
  accounts: readonly Address[],
): Promise<ReadonlyMap<Address, Account>> {
  const at = {
    campaignId: sql`${campaignId}::bigint`,
    account: sql`named.account`,
    seq: sql`${seq}::bigint`,
  };
  const rows = await sql<StoredRow[]>`
    select newest.*, ${newestClaim(sql, at)} as last_claim_seq
    from unnest(${[...new Set(accounts)]}::bytea[]) named (account)
    cross join lateral ${newestMovement(sql, at)} newest`;
  const known = rows.map(balance.decode);
  return new Map(known.map(({ account, ...rest }) => [account, { ...emptyAccount, ...rest }]));
}
