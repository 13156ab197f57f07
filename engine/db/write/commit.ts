import type { Address, Fact } from '../../core/events.ts';
import type { CampaignState } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { copyRows } from './copy-rows.ts';
import {
  type CurrentPolicy,
  currentPolicyColumns,
  currentPolicyNames,
  updateCampaigns,
} from './current-policy.ts';
import { type CursorPlace, moveCursors } from './cursor.ts';
import { insertion, listed, type Row, upsertion } from './json-rows.ts';
import { newSaleSums } from './new-sale-sums.ts';
import {
  attestationRows,
  creditRows,
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
export const COPIED_LEAST = 64;

/** What a batch came to in one of its campaigns. */
export interface FoldedPart {
  /** The campaign after the batch. */
  readonly state: CampaignState;
  readonly folded: readonly Folded[];
  readonly current: CurrentPolicy;
  /** Where its cursor is moved to. */
  readonly to: CursorPlace;
}

/**
 * Writes a folded batch and moves the cursors of its campaigns. A statement of its own costs both sides
 * more than the few rows that most batches have, and so does waiting for its answer: all that is short
 * goes into one statement, and what comes before and after it is sent along with it. Long tables are
 * copied. The caller holds the campaigns' locks and commits, all in one transaction, in which no other
 * statement is under way meanwhile.
 * @returns when each campaign's clock has something due next, unix seconds, by campaign.
 */
export async function writeFolded(
  sql: Sql,
  parts: readonly FoldedPart[],
): Promise<ReadonlyMap<string, number | null>> {
  const folded = parts.flatMap((part) => part.folded);
  const sales = parts.flatMap((part) => changedSales(part.state, part.folded));
  const tables: readonly TableRows[] = [
    { table: 'journal', rows: folded.map(journalRow) },
    { table: 'entry', rows: folded.flatMap(entryRows) },
    { table: 'missed_reward', rows: folded.flatMap(missedRows) },
    { table: 'sale_version', rows: folded.flatMap(saleVersionRows) },
    {
      table: 'node',
      rows: parts.flatMap(({ state, folded: of }) => of.flatMap((one) => nodeRows(state, one))),
    },
    { table: 'attestation', rows: folded.flatMap(attestationRows) },
    { table: 'sale', rows: newSaleRows(sales) },
    { table: 'sale_level', rows: newLevelRows(sales) },
    { table: 'discrepancy', rows: folded.flatMap(discrepancyRows) },
    { table: 'policy', rows: folded.flatMap(policyRows) },
    { table: 'price', rows: folded.flatMap(priceRows) },
    { table: 'permission', rows: folded.flatMap(permissionRows) },
    { table: 'credit', rows: folded.flatMap(creditRows) },
    { table: 'campaign', rows: parts.flatMap(newCampaignRows) },
  ];
  const long = tables.filter(({ rows }) => rows.length >= COPIED_LEAST);
  const short = tables.filter(({ rows }) => rows.length > 0 && rows.length < COPIED_LEAST);
  const statements = [
    ...short.map(({ table, rows }) => insertion(sql, table, rows)),
    ...updateKnownCampaigns(sql, parts),
    ...updateSales(sql, sales),
    ...updateLevels(sql, sales),
    ...writeBuckets(sql, parts),
    ...newSaleSums(sql, sales),
  ];
  // Sent in this order, each at once, which is the order that the server runs them in.
  const before = Promise.all([takeOutChanged(sql, sales), allOf(sql, statements)]);
  if (long.length > 0) {
    await before;
    for (const { table, rows } of long) await copyRows(sql, table, rows);
  }
  const [, , clocks] = await Promise.all([
    before,
    putInChanged(sql, sales, folded),
    moveCursors(
      sql,
      parts.map(({ to }) => to),
    ),
  ]);
  return clocks;
}

/** One statement out of several that change different rows. */
async function allOf(sql: Sql, parts: readonly Fragment[]): Promise<void> {
  await sql`with ${listed(
    sql,
    parts.map((part, i) => sql`${sql(`part_${i}`)} as (${part})`),
  )} select`.execute();
}

/** Rows that a batch adds to a table. */
interface TableRows {
  readonly table: string;
  readonly rows: readonly Row[];
}

/** The event that made the campaign, where that is in the batch. */
function createdBy({ folded }: FoldedPart): Fact | undefined {
  return folded.find(({ fact }) => fact.name === 'CampaignCreated')?.fact;
}

function standingRow({ state, current }: FoldedPart) {
  return {
    campaign_id: state.campaignId,
    ...standingColumns(state.standing),
    ...currentPolicyColumns(current),
    indexed_at: 'now',
  };
}

function updateKnownCampaigns(sql: Sql, parts: readonly FoldedPart[]): readonly Fragment[] {
  const known = parts.filter((part) => createdBy(part) === undefined);
  if (known.length === 0) return [];
  const columns = [...standingColumnNames, ...currentPolicyNames, 'indexed_at'];
  return [updateCampaigns(sql, columns, known.map(standingRow))];
}

function newCampaignRows(part: FoldedPart): Row[] {
  const created = createdBy(part);
  if (created === undefined) return [];
  const { campaign } = part.state;
  if (campaign === null) throw new Error(`campaign ${created.campaignId} was folded to nothing`);
  return [
    {
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
      nodes_per_account: campaign.nodesPerAccount,
      salt: campaign.salt,
      terms_hash: campaign.termsHash,
      created_block: created.blockNumber,
      created_timestamp: created.timestamp,
      created_transaction: created.transactionHash,
      ...standingRow(part),
    },
  ];
}

/** The balances of every account that has an entry in the batch. */
function writeBuckets(sql: Sql, parts: readonly FoldedPart[]): readonly Fragment[] {
  const rows = parts.flatMap(({ state, folded }) => {
    const accounts = new Set(folded.flatMap(({ entries }) => entries.map((one) => one.account)));
    return [...accounts].flatMap((account) => bucketRow(state, account));
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

function bucketRow(state: CampaignState, account: Address): Row[] {
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
}
