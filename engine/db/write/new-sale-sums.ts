import type { Fragment, Sql } from '../connection.ts';
import { type Row, rowsOf } from './json-rows.ts';
import type { Folded } from './rows.ts';
import type { ChangedSale } from './sales.ts';

const SECONDS_A_DAY = 86_400;

/** Whether a batch has recorded a sale and left it pending, as it does with most. */
export function isNewAndPending(changed: ChangedSale): changed is NewSale {
  return changed.recorded !== undefined && changed.sale.state === 'pending';
}

type NewSale = ChangedSale & { readonly recorded: Folded };

/**
 * What new sales that are pending add to the sums (`sale_sum` and `sale_account`, 0017_sums.sql and
 * 0019_ranked_sums.sql), of a batch's figures and not of its rows: of such a sale there is nothing to
 * look up, and reading the rows back costs PostgreSQL some 7 % of a batch. The audit holds the sums
 * against the views.
 */
export function newSaleSums(sql: Sql, changed: readonly ChangedSale[]): readonly Fragment[] {
  const added = changed.filter(isNewAndPending);
  const parts: Fragment[] = [];
  const days = dayRows(added);
  if (days.length > 0) {
    parts.push(sql`
      insert into ledger.sale_day as kept
      select campaign_id, day, linked, pending, 0, 0, 0, 0, 0
      from ${rowsOf(sql, 'sale_day', days)}
      on conflict (campaign_id, day, linked) do update set
        pending = kept.pending + excluded.pending`);
  }
  const accounts = accountRows(added);
  if (accounts.length > 0) {
    parts.push(sql`
      insert into ledger.account_sum as kept
        (campaign_id, account, links, direct, network, direct_settled, network_settled, settled_value,
          ranked_pending)
      select campaign_id, account, 0, direct, network, 0, 0, 0, ranked_pending
      from ${rowsOf(sql, 'account_sum', accounts)}
      on conflict (campaign_id, account) do update set
        direct = kept.direct + excluded.direct, network = kept.network + excluded.network,
        ranked_pending = kept.ranked_pending + excluded.ranked_pending`);
  }
  return parts;
}

/** Pending sales by campaign and day of recording, with a node and without. */
function dayRows(added: readonly NewSale[]): readonly Row[] {
  const rows = new Map<string, { row: Row; pending: number }>();
  for (const { campaignId, sale, recorded } of added) {
    const day = Math.floor(recorded.fact.timestamp / SECONDS_A_DAY);
    const linked = sale.nodeId !== null;
    const key = `${campaignId} ${day} ${linked}`;
    const kept = rows.get(key) ?? { row: { campaign_id: campaignId, day, linked }, pending: 0 };
    kept.pending += 1;
    rows.set(key, kept);
  }
  return [...rows.values()].map(({ row, pending }) => ({ ...row, pending }));
}

/**
 * Sales by campaign and account: direct where its nearest level is the first, network otherwise; ranked
 * where its buyer is neither the merchant nor one of those whom it pays.
 */
function accountRows(added: readonly NewSale[]): readonly Row[] {
  const rows = new Map<string, { row: Row; direct: number; network: number; ranked: number }>();
  for (const { campaignId, merchant, sale } of added) {
    const nearest = new Map<string, number>();
    for (const { recipient, level } of sale.levels) {
      nearest.set(recipient, Math.min(level, nearest.get(recipient) ?? level));
    }
    const ranked = sale.buyer !== merchant && !nearest.has(sale.buyer);
    for (const [account, level] of nearest) {
      const key = `${campaignId} ${account}`;
      const row = { campaign_id: campaignId, account };
      const kept = rows.get(key) ?? { row, direct: 0, network: 0, ranked: 0 };
      if (level === 1) kept.direct += 1;
      else kept.network += 1;
      if (ranked) kept.ranked += 1;
      rows.set(key, kept);
    }
  }
  return [...rows.values()].map(({ row, direct, network, ranked }) => ({
    ...row,
    direct,
    network,
    ranked_pending: ranked,
  }));
}
