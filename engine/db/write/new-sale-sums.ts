import type { Address } from '../../core/events.ts';
import type { SaleLevel } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { byteaText } from '../hex.ts';
import type { WrittenRow } from '../row.ts';
import type { Folded } from './rows.ts';
import type { ChangedSale } from './sales.ts';
import { accumulateSql, rowsSql } from './statements.ts';

const SECONDS_A_DAY = 86_400;

/** True if the batch recorded the sale and left it pending, as most sales. */
export function isNewAndPending(changed: ChangedSale): changed is NewSale {
  return changed.recorded !== undefined && changed.sale.state === 'pending';
}

type NewSale = ChangedSale & { readonly recorded: Folded };

/**
 * Statements that add the new pending sales of a batch to the running totals, computed from the batch and not
 * from its rows: such a sale depends on no other row, and reading the rows back costs PostgreSQL about 7 % of
 * a batch. The audit compares the totals with the views that define them (`sale_sum`, `sale_account`).
 */
export function newSaleSums(sql: Sql, changed: readonly ChangedSale[]): readonly Fragment[] {
  const added = changed.filter(isNewAndPending);
  const parts: Fragment[] = [];
  const days = dayRows(added);
  if (days.length > 0) {
    parts.push(sql`
      insert into ledger.sale_day as totals
      select campaign_id, day, linked, pending, 0, 0, 0, 0, 0
      from ${rowsSql(sql, 'sale_day', days)}
      on conflict (campaign_id, day, linked) do update set ${accumulateSql(sql, ['pending'])}`);
  }
  const accounts = accountRows(added);
  if (accounts.length > 0) {
    parts.push(sql`
      insert into ledger.account_sum as totals
        (campaign_id, account, links, direct, network, direct_settled, network_settled, settled_value,
          ranked_pending)
      select campaign_id, account, 0, direct, network, 0, 0, 0, ranked_pending
      from ${rowsSql(sql, 'account_sum', accounts)}
      on conflict (campaign_id, account) do update
      set ${accumulateSql(sql, ['direct', 'network', 'ranked_pending'])}`);
  }
  return parts;
}

/** Numbers of new pending sales by campaign, day of recording, and with or without a node. */
function dayRows(added: readonly NewSale[]): readonly WrittenRow[] {
  const rows = new Map<
    string,
    { campaign_id: string; day: number; linked: boolean; pending: number }
  >();
  for (const { campaignId, sale, recorded } of added) {
    const day = Math.floor(recorded.fact.timestamp / SECONDS_A_DAY);
    const linked = sale.nodeId !== null;
    const key = `${campaignId} ${day} ${linked}`;
    const row = rows.get(key) ?? { campaign_id: campaignId, day, linked, pending: 0 };
    row.pending += 1;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/**
 * Numbers of new pending sales by campaign and account: direct if the account's nearest level is the first,
 * otherwise network; ranked unless the buyer is the merchant or earns by the sale.
 */
function accountRows(added: readonly NewSale[]): readonly WrittenRow[] {
  const byCampaign = new Map<string, Map<Address, AccountRow>>();
  for (const { campaignId, merchant, sale } of added) {
    const rows = byCampaign.get(campaignId) ?? new Map<Address, AccountRow>();
    byCampaign.set(campaignId, rows);
    const nearest = sale.levels.filter(isNearest);
    const ranked =
      sale.buyer !== merchant && !nearest.some(({ recipient }) => recipient === sale.buyer);
    for (const { recipient, level } of nearest) {
      const row = rows.get(recipient) ?? noSales(campaignId, recipient);
      rows.set(recipient, row);
      if (level === 1) row.direct += 1;
      else row.network += 1;
      if (ranked) row.ranked_pending += 1;
    }
  }
  return [...byCampaign.values()].flatMap((rows) => [...rows.values()]);
}

/** True if no nearer level of the sale has the same recipient; the nearest level is the first. */
function isNearest({ recipient }: SaleLevel, i: number, levels: readonly SaleLevel[]): boolean {
  for (let nearer = 0; nearer < i; nearer += 1) {
    if (levels[nearer]?.recipient === recipient) return false;
  }
  return true;
}

function noSales(campaignId: string, account: Address): AccountRow {
  const counts = { direct: 0, network: 0, ranked_pending: 0 };
  return { campaign_id: campaignId, account: byteaText(account), ...counts };
}

type AccountRow = Record<'campaign_id' | 'account', string> &
  Record<'direct' | 'network' | 'ranked_pending', number>;
