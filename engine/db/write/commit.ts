import type { Address, Fact } from '../../core/events.ts';
import type { CampaignState } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import { copyRows } from './copy-rows.ts';
import { type CurrentPolicy, currentPolicyColumns, currentPolicyNames } from './current-policy.ts';
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
import { changedSales, newLevelRows, newSaleRows, updateLevels, updateSales } from './sales.ts';
import { standingColumnNames, standingColumns } from './standing-columns.ts';
import { putInChanged, takeOutChanged } from './sums.ts';

/** Rows from which on COPY is worth its round trips. */
const COPIED_LEAST = 50;

/**
 * Writes a folded batch: a statement for each table, however long the batch is. The caller holds
 * the campaign's lock, moves its cursor and commits, all in one transaction, in which no other
 * statement is under way meanwhile.
 * @param state the campaign after the batch.
 */
export async function writeFolded(
  sql: Sql,
  state: CampaignState,
  folded: readonly Folded[],
  current: CurrentPolicy,
): Promise<void> {
  const { campaignId } = state;
  const sales = changedSales(state, folded);
  const growing: readonly TableRows[] = [
    { table: 'journal', rows: folded.map(journalRow) },
    { table: 'entry', rows: folded.flatMap(entryRows) },
    { table: 'missed_reward', rows: folded.flatMap(missedRows) },
    { table: 'sale_version', rows: folded.flatMap(saleVersionRows) },
    { table: 'node', rows: folded.flatMap((one) => nodeRows(state, one)) },
    { table: 'attestation', rows: folded.flatMap(attestationRows) },
    { table: 'sale', rows: newSaleRows(campaignId, sales) },
    { table: 'sale_level', rows: newLevelRows(campaignId, sales) },
  ];
  const few = growing.filter(({ rows }) => rows.length < COPIED_LEAST);
  await takeOutChanged(sql, campaignId, sales);
  await Promise.all([
    ...few.map(({ table, rows }) => appendRows(sql, table, rows)),
    appendRows(sql, 'discrepancy', folded.flatMap(discrepancyRows)),
    appendRows(sql, 'policy', folded.flatMap(policyRows)),
    appendRows(sql, 'price', folded.flatMap(priceRows)),
    appendRows(sql, 'permission', folded.flatMap(permissionRows)),
    writeCampaign(sql, state, folded, current),
    updateSales(sql, campaignId, sales),
    updateLevels(sql, campaignId, sales),
    writeBuckets(sql, state, touchedAccounts(folded)),
  ]);
  for (const { table, rows } of growing) {
    if (rows.length >= COPIED_LEAST) await copyRows(sql, table, rows);
  }
  await putInChanged(sql, campaignId, sales, folded);
}

/** Rows of a batch for one of the tables that grow with sales. */
interface TableRows {
  readonly table: string;
  readonly rows: readonly Row[];
}

async function writeCampaign(
  sql: Sql,
  state: CampaignState,
  folded: readonly Folded[],
  current: CurrentPolicy,
): Promise<void> {
  const created = folded.find(({ fact }) => fact.name === 'CampaignCreated')?.fact;
  if (created !== undefined) {
    await insertCampaign(sql, state, created, current);
    return;
  }
  const changing = { ...standingColumns(state.standing), ...currentPolicyColumns(current) };
  const names = [...standingColumnNames, ...currentPolicyNames];
  await sql`
    update ledger.campaign c set ${names.map(
      (name, i) => sql`${i === 0 ? sql`` : sql`, `}${sql(name)} = r.${sql(name)}`,
    )}, indexed_at = now()
    from json_populate_recordset(null::ledger.campaign, ${jsonRows([changing])}::text::json) r
    where c.campaign_id = ${state.campaignId}`;
}

async function insertCampaign(
  sql: Sql,
  state: CampaignState,
  created: Fact,
  current: CurrentPolicy,
): Promise<void> {
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
      ...currentPolicyColumns(current),
      indexed_at: 'now',
    },
  ]);
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
