import type { Address, Fact } from '../../core/events.ts';
import type { CampaignState, Sale } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import { appendRows, jsonRows, type Row, upsertRows } from './json-rows.ts';
import {
  attestationRows,
  discrepancyRows,
  entryRows,
  type Folded,
  journalRow,
  missedRows,
  nodeRows,
  permissionRows,
  policyRows,
  priceRows,
  saleVersionRows,
} from './rows.ts';
import { standingColumnNames, standingColumns } from './standing-columns.ts';

/**
 * Writes a folded batch: a statement for each table, however long the batch is. The caller holds
 * the campaign's lock, moves its cursor and commits, all in one transaction.
 * @param state the campaign after the batch.
 */
export async function writeFolded(
  sql: Sql,
  state: CampaignState,
  folded: readonly Folded[],
): Promise<void> {
  const { campaignId } = state;
  const sales = changedSales(state, folded);
  const recorded = new Map(
    folded.flatMap((one) =>
      one.fact.name === 'SaleRecorded' && one.sale !== null ? [[one.sale.saleId, one]] : [],
    ),
  );
  await Promise.all([
    appendRows(sql, 'journal', folded.map(journalRow)),
    appendRows(sql, 'entry', folded.flatMap(entryRows)),
    appendRows(sql, 'missed_reward', folded.flatMap(missedRows)),
    appendRows(sql, 'discrepancy', folded.flatMap(discrepancyRows)),
    appendRows(sql, 'sale_version', folded.flatMap(saleVersionRows)),
    appendRows(
      sql,
      'node',
      folded.flatMap((one) => nodeRows(state, one)),
    ),
    appendRows(sql, 'policy', folded.flatMap(policyRows)),
    appendRows(sql, 'price', folded.flatMap(priceRows)),
    appendRows(sql, 'permission', folded.flatMap(permissionRows)),
    appendRows(sql, 'attestation', folded.flatMap(attestationRows)),
    writeCampaign(sql, state, folded),
    writeSales(sql, campaignId, sales, recorded),
    writeLevels(
      sql,
      campaignId,
      [...sales.values()].map(({ sale }) => sale),
    ),
    writeBuckets(sql, state, touchedAccounts(folded)),
  ]);
}

/** Columns that the clock keeps, and `writeFolded` leaves to it: see `engine/db/write/clock.ts`. */
async function writeCampaign(
  sql: Sql,
  state: CampaignState,
  folded: readonly Folded[],
): Promise<void> {
  const created = folded.find(({ fact }) => fact.name === 'CampaignCreated')?.fact;
  if (created !== undefined) await insertCampaign(sql, state, created);
  else {
    const standing = jsonRows([standingColumns(state.standing)]);
    await sql`
      update ledger.campaign c set ${standingColumnNames.map(
        (name, i) => sql`${i === 0 ? sql`` : sql`, `}${sql(name)} = r.${sql(name)}`,
      )}, indexed_at = now()
      from json_populate_recordset(null::ledger.campaign, ${standing}::text::json) r
      where c.campaign_id = ${state.campaignId}`;
  }
}

async function insertCampaign(sql: Sql, state: CampaignState, created: Fact): Promise<void> {
  const { campaign, standing } = state;
  if (campaign === null) throw new Error(`campaign ${state.campaignId} was folded to nothing`);
  await appendRows(sql, 'campaign', [
    {
      campaign_id: campaign.campaignId,
      merchant: campaign.merchant,
      token: campaign.token,
      token_decimals: campaign.tokenDecimals,
      token_symbol: campaign.tokenSymbol,
      token_name: campaign.tokenName,
      sku_hash: campaign.skuHash,
      metadata_hash: campaign.metadataHash,
      starts_at: campaign.startsAt,
      ends_at: campaign.endsAt,
      trust_mode: campaign.trustMode,
      invite_only: campaign.inviteOnly,
      created_block: created.blockNumber,
      created_timestamp: created.timestamp,
      created_transaction: created.transactionHash,
      ...standingColumns(standing),
      rank_score: 0,
      indexed_at: 'now',
    },
  ]);
}

interface ChangedSale {
  readonly sale: Sale;
  readonly changedSeq: number;
}

/** Sales whose row or levels the batch changed, as they are after it. */
function changedSales(
  state: CampaignState,
  folded: readonly Folded[],
): ReadonlyMap<string, ChangedSale> {
  const changed = new Map<string, ChangedSale>();
  for (const { seq, fact } of folded) {
    if (!('saleId' in fact.args)) continue;
    const sale = state.sales.get(fact.args.saleId);
    if (sale !== undefined) changed.set(sale.saleId, { sale, changedSeq: seq });
  }
  return changed;
}

async function writeSales(
  sql: Sql,
  campaignId: string,
  changed: ReadonlyMap<string, ChangedSale>,
  recorded: ReadonlyMap<string, Folded>,
): Promise<void> {
  const fresh: Row[] = [];
  const known: Row[] = [];
  for (const { sale, changedSeq } of changed.values()) {
    const state = {
      sale_id: sale.saleId,
      state: sale.state,
      refunded_total: sale.refundedTotal,
      finalized_at: sale.finalizedAt,
      changed_seq: changedSeq,
    };
    const first = recorded.get(sale.saleId);
    if (first === undefined) known.push(state);
    else fresh.push({ ...saleRow(campaignId, sale, first), ...state });
  }
  await Promise.all([appendRows(sql, 'sale', fresh), updateSales(sql, campaignId, known)]);
}

async function updateSales(sql: Sql, campaignId: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update ledger.sale s set state = r.state, refunded_total = r.refunded_total,
      finalized_at = r.finalized_at, changed_seq = r.changed_seq
    from json_populate_recordset(null::ledger.sale, ${jsonRows(rows)}::text::json) r
    where s.campaign_id = ${campaignId} and s.sale_id = r.sale_id`;
}

function saleRow(campaignId: string, sale: Sale, { seq, fact }: Folded): Row {
  return {
    campaign_id: campaignId,
    seq,
    buyer: sale.buyer,
    node_id: sale.nodeId,
    amount: sale.amount,
    pool: sale.pool,
    policy_version: sale.policyVersion,
    hold_until: sale.holdUntil,
    order_key: sale.orderKey,
    sku_hash: sale.skuHash,
    block_number: fact.blockNumber,
    block_timestamp: fact.timestamp,
    transaction_hash: fact.transactionHash,
  };
}

async function writeLevels(sql: Sql, campaignId: string, sales: readonly Sale[]): Promise<void> {
  const rows = sales.flatMap((sale) =>
    sale.levels.map((level) => ({
      campaign_id: campaignId,
      sale_id: sale.saleId,
      level: level.level,
      node_id: level.nodeId,
      recipient: level.recipient,
      hold_until: sale.holdUntil,
      share: level.share,
      reserved: level.reserved,
      released: level.released,
      vested: level.vested,
      reversed: level.reversed,
      vested_seq: level.vestedSeq,
    })),
  );
  const changing = ['reserved', 'released', 'vested', 'reversed', 'vested_seq'];
  await upsertRows(sql, 'sale_level', ['campaign_id', 'sale_id', 'level'], changing, rows);
}

function touchedAccounts(folded: readonly Folded[]): Set<Address> {
  return new Set(folded.flatMap(({ entries }) => entries.map(({ account }) => account)));
}

async function writeBuckets(
  sql: Sql,
  state: CampaignState,
  accounts: ReadonlySet<Address>,
): Promise<void> {
  const rows = [...accounts].flatMap((account) => {
    const balances = state.accounts.get(account);
    if (balances === undefined) return [];
    return [
      {
        campaign_id: state.campaignId,
        account,
        at_risk: balances.reserved - balances.ready,
        ready_to_finalize: balances.ready,
        claimable: balances.claimable,
        claimed: balances.claimed,
        refunded: balances.refunded,
        reversed: balances.reversed,
        last_claim_seq: balances.lastClaimSeq,
      },
    ];
  });
  const changing = [
    'at_risk',
    'ready_to_finalize',
    'claimable',
    'claimed',
    'refunded',
    'reversed',
    'last_claim_seq',
  ];
  await upsertRows(sql, 'bucket', ['campaign_id', 'account'], changing, rows);
}
