import type { Address, Fact } from '../../core/events.ts';
import type { CampaignState } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { copyRows } from './copy-rows.ts';
import { type CurrentPolicy, currentPolicyColumns, currentPolicyNames } from './current-policy.ts';
import { type CursorPlace, moveCursor } from './cursor.ts';
import { insertion, type Row, rowsOf, upsertion } from './json-rows.ts';
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
const COPIED_LEAST = 64;

/**
 * Writes a folded batch and moves its campaign's cursor. A statement of its own costs both sides more
 * than the few rows that most batches have, and so does waiting for its answer: all that is short goes
 * into one statement, and what comes before and after it is sent along with it. Long tables are
 * copied. The caller holds the campaign's lock and commits, all in one transaction, in which no other
 * statement is under way meanwhile.
 * @param state the campaign after the batch.
 * @returns when the campaign's clock has something due next, unix seconds.
 */
export async function writeFolded(
  sql: Sql,
  state: CampaignState,
  folded: readonly Folded[],
  current: CurrentPolicy,
  to: CursorPlace,
): Promise<number | null> {
  const { campaignId } = state;
  const sales = changedSales(state, folded);
  const tables: readonly TableRows[] = [
    { table: 'journal', rows: folded.map(journalRow) },
    { table: 'entry', rows: folded.flatMap(entryRows) },
    { table: 'missed_reward', rows: folded.flatMap(missedRows) },
    { table: 'sale_version', rows: folded.flatMap(saleVersionRows) },
    { table: 'node', rows: folded.flatMap((one) => nodeRows(state, one)) },
    { table: 'attestation', rows: folded.flatMap(attestationRows) },
    { table: 'sale', rows: newSaleRows(campaignId, sales) },
    { table: 'sale_level', rows: newLevelRows(campaignId, sales) },
    { table: 'discrepancy', rows: folded.flatMap(discrepancyRows) },
    { table: 'policy', rows: folded.flatMap(policyRows) },
    { table: 'price', rows: folded.flatMap(priceRows) },
    { table: 'permission', rows: folded.flatMap(permissionRows) },
  ];
  const long = tables.filter(({ rows }) => rows.length >= COPIED_LEAST);
  const short = tables.filter(({ rows }) => rows.length > 0 && rows.length < COPIED_LEAST);
  const parts = [
    ...short.map(({ table, rows }) => insertion(sql, table, rows)),
    writeCampaign(sql, state, folded, current),
    ...updateSales(sql, campaignId, sales),
    ...updateLevels(sql, campaignId, sales),
    ...writeBuckets(sql, state, touchedAccounts(folded)),
  ];
  // Sent in this order, each at once, which is the order that the server runs them in.
  const before = Promise.all([takeOutChanged(sql, campaignId, sales), allOf(sql, parts)]);
  if (long.length > 0) {
    await before;
    for (const { table, rows } of long) await copyRows(sql, table, rows);
  }
  const [, , clockNext] = await Promise.all([
    before,
    putInChanged(sql, campaignId, sales, folded),
    moveCursor(sql, campaignId, to),
  ]);
  return clockNext;
}

/** One statement out of several that change different rows. */
async function allOf(sql: Sql, parts: readonly Fragment[]): Promise<void> {
  await sql`with ${parts.map(
    (part, i) => sql`${i === 0 ? sql`` : sql`, `}${sql(`part_${i}`)} as (${part})`,
  )} select`.execute();
}

/** Rows that a batch adds to a table. */
interface TableRows {
  readonly table: string;
  readonly rows: readonly Row[];
}

function writeCampaign(
  sql: Sql,
  state: CampaignState,
  folded: readonly Folded[],
  current: CurrentPolicy,
): Fragment {
  const created = folded.find(({ fact }) => fact.name === 'CampaignCreated')?.fact;
  if (created !== undefined) return insertCampaign(sql, state, created, current);
  const changing = { ...standingColumns(state.standing), ...currentPolicyColumns(current) };
  const names = [...standingColumnNames, ...currentPolicyNames];
  return sql`
    update ledger.campaign c set ${names.map(
      (name, i) => sql`${i === 0 ? sql`` : sql`, `}${sql(name)} = r.${sql(name)}`,
    )}, indexed_at = now()
    from ${rowsOf(sql, 'campaign', [changing])} r
    where c.campaign_id = ${state.campaignId}`;
}

function insertCampaign(
  sql: Sql,
  state: CampaignState,
  created: Fact,
  current: CurrentPolicy,
): Fragment {
  const { campaign, standing } = state;
  if (campaign === null) throw new Error(`campaign ${state.campaignId} was folded to nothing`);
  return insertion(sql, 'campaign', [
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

function writeBuckets(
  sql: Sql,
  state: CampaignState,
  accounts: ReadonlySet<Address>,
): readonly Fragment[] {
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
  if (rows.length === 0) return [];
  return [upsertion(sql, 'bucket', ['campaign_id', 'account'], changing, rows)];
}
