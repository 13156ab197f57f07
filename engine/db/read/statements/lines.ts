import type { Address } from '../../../core/events.ts';
import type { EntryKind } from '../../../core/fold/index.ts';
import { fence, limitTo } from '../../planner.ts';
import {
  address,
  amount,
  as,
  id,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import { transactionRow } from '../../rows/event.ts';
import { earnerCampaigns } from '../earnings/earner-campaigns.ts';
import { joinProduct } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { edgeBlocks } from './balances.ts';
import type { StatementFilter } from './read.ts';

const lineView = rowCodec({
  kind: as<EntryKind>(),
  campaignId: id,
  /** `null` for a claim, which pays the rewards of all sales. */
  saleId: nullable(id),
  level: nullable(small),
  product: nullable(text),
  token: address,
  tokenSymbol: text,
  tokenDecimals: small,
  /** Base units. */
  amount,
  tx: transactionRow.fields,
});

/** A movement of an account's rewards, with its sale and its transaction. */
export type StatementLine = View<typeof lineView>;

/**
 * Movements of an account's rewards between two moments, oldest first: one statement. Their totals are the movements of
 * `readStatement`. It reads the account's entries and levels in each of its campaigns by their indexes.
 * @param moments unix seconds: the first belongs to the period, the second does not.
 */
export async function readStatementLines(
  { sql, head }: Snapshot,
  account: Address,
  moments: readonly [from: number, to: number],
  { campaignId, token, limit }: StatementFilter & { readonly limit: number },
): Promise<StatementLine[]> {
  const campaignIds = campaignId === undefined ? undefined : [campaignId];
  const block = (n: number) => sql`(select block_number from edge where n = ${n}::int)`;
  const rows = await sql<StoredRow[]>`
    with recursive ${edgeBlocks(sql, head, moments)},
    as_of as materialized (${earnerCampaigns(sql, head, { account, campaignIds })}),
    line as (
      select as_of.campaign_id, entry.seq, entry.ordinal::int, entry.kind, entry.sale_id, entry.level,
        entry.amount
      from as_of cross join lateral (
        select * from ledger.entry
        where entry.campaign_id = as_of.campaign_id and entry.account = ${account}
          and entry.seq <= as_of.seq and entry.block_number > ${block(0)}
          and entry.block_number <= ${block(1)} ${fence(sql)}
      ) entry
      union all
      select as_of.campaign_id, earned.seq, earned.level, 'reserve', earned.sale_id, earned.level,
        earned.share
      from as_of cross join lateral (
        select sale.seq, level.sale_id, level.level, level.share from ledger.sale_level level
        join ledger.sale on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
        where level.campaign_id = as_of.campaign_id and level.recipient = ${account}
          and level.share <> 0 and sale.seq <= as_of.seq and sale.block_number > ${block(0)}
          and sale.block_number <= ${block(1)} ${fence(sql)}
      ) earned
    )
    select line.kind, line.campaign_id, line.sale_id, line.level, line.amount, product.title as product,
      campaign.token, campaign.token_symbol, campaign.token_decimals,
      ${transactionRow.columns(sql, 'journal')}
    from line
    join ledger.campaign campaign on campaign.campaign_id = line.campaign_id
    join ledger.journal on journal.campaign_id = line.campaign_id and journal.seq = line.seq
    ${joinProduct(sql)}
    ${token === undefined ? sql`` : sql`where campaign.token = ${token}`}
    order by journal.block_number, line.campaign_id, line.seq, line.ordinal ${limitTo(sql, limit)}`;
  return rows.map(lineView.decode);
}
