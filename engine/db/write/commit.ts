import type { Address, Fact } from '../../core/events.ts';
import type { FoldState } from '../../core/fold/index.ts';
import type { Fragment, Sql } from '../connection.ts';
import { as, id, rowCodec, type WrittenRow } from '../row.ts';
import { bucketRow } from '../rows/account.ts';
import { campaignRow, campaignStateRow, creationRow, currentPolicyRow } from '../rows/campaign.ts';
import { commaSeparated } from '../sql.ts';
import type { AppendedTable } from '../tables/ledger.ts';
import { type AppendedRows, appended } from './appended-rows.ts';
import { type CurrentPolicy, updateCampaigns } from './current-policy.ts';
import { type CursorMove, moveCursors } from './cursor.ts';
import { newSaleSums } from './new-sale-sums.ts';
import { addToPartners } from './partners.ts';
import {
  attestationRows,
  attesterDayRows,
  creditRows,
  discrepancyRows,
  entryRows,
  type Folded,
  journalRows,
  missedRows,
  nodeRows,
  permissionRows,
  policyRows,
  priceRows,
  rowsOf,
  saleVersionRows,
} from './rows.ts';
import { changedSales, newLevelRows, newSaleRows, updateLevels, updateSales } from './sales.ts';
import { upsertSql } from './statements.ts';
import { addToTotals, subtractFromTotals } from './sums.ts';

/** Result of a batch for one of its campaigns. */
export interface FoldedPart {
  /** The campaign after the batch. */
  readonly state: FoldState;
  readonly folded: readonly Folded[];
  readonly current: CurrentPolicy;
  /** Event that its cursor is moved to. */
  readonly to: CursorMove;
}

/**
 * Writes a folded batch and moves the cursors of its campaigns. The caller holds the campaigns' locks and
 * commits, all in one transaction, in which no other statement runs meanwhile.
 *
 * A separate statement costs both sides more than the few rows of most batches, and so does waiting for
 * its result. So all short tables go into one statement, and the statements before and after it are sent
 * without waiting. Long tables are copied.
 * @returns the time when each campaign's clock has something due next, unix seconds, by campaign.
 */
export async function writeFolded(
  sql: Sql,
  parts: readonly FoldedPart[],
): Promise<ReadonlyMap<string, number | null>> {
  const folded = parts.flatMap((part) => part.folded);
  const sales = parts.flatMap((part) => changedSales(part.state, part.folded));
  const added: AddedRows = {
    journal: appended(folded, journalRows),
    entry: appended(folded, entryRows),
    missed_reward: appended(folded, missedRows),
    sale_version: appended(folded, saleVersionRows),
    node: appended(parts, nodeRows),
    attestation: appended(folded, attestationRows),
    sale: appended(sales, newSaleRows),
    sale_level: appended(sales, newLevelRows),
    discrepancy: appended(folded, discrepancyRows),
    policy: appended(folded, policyRows),
    price: appended(folded, priceRows),
    permission: appended(folded, permissionRows),
    attester_day: appended(folded, attesterDayRows),
    credit: appended(folded, creditRows),
    campaign: appended(parts, newCampaignRows),
  };
  const tables = Object.entries(added);
  const long = tables.filter(([, { size }]) => size === 'long');
  const short = tables.filter(([, { size }]) => size === 'short');
  const statements = [
    ...short.map(([table, rows]) => rows.insertSql(sql, table)),
    ...updateKnownCampaigns(sql, parts),
    ...updateSales(sql, sales),
    ...updateLevels(sql, sales),
    ...writeBuckets(sql, parts),
    ...newSaleSums(sql, sales),
  ];
  const partners = addToPartners(sql, parts);
  // Sent without waiting, in this order, which is the order in which the server runs them.
  const before = Promise.all([subtractFromTotals(sql, sales), runTogether(sql, statements)]);
  if (long.length > 0) {
    await before;
    for (const [table, rows] of long) await rows.copy(sql, table);
  }
  const [, , clocks] = await Promise.all([
    before,
    addToTotals(sql, sales, folded),
    moveCursors(
      sql,
      parts.map(({ to }) => to),
      // Last, because other campaigns of the merchant wait for the rows until the commit.
      partners,
    ),
  ]);
  return clocks;
}

/** The rows that a batch appends, for each table that it appends to: a new table does not compile without. */
type AddedRows = Readonly<Record<AppendedTable, AppendedRows>>;

/** Runs several statements that change different rows as one; none if all tables of the batch are long. */
async function runTogether(sql: Sql, parts: readonly Fragment[]): Promise<void> {
  if (parts.length === 0) return;
  await sql`with ${commaSeparated(
    sql,
    parts.map((part, i) => sql`${sql(`part_${i}`)} as (${part})`),
  )} select`.execute();
}

/** The campaign's CampaignCreated, if it is in the batch. */
function createdBy({ folded }: FoldedPart): Fact | undefined {
  return folded.find(({ fact }) => fact.name === 'CampaignCreated')?.fact;
}

/** Columns of `ledger.campaign` that any batch can change. */
const campaignState = {
  state: { snapshot: campaignStateRow.fields },
  current: currentPolicyRow.fields,
  indexedAt: as<'now'>(),
};

const campaignUpdate = rowCodec({ campaign: { campaignId: id }, ...campaignState });

const campaignTable = rowCodec({
  campaign: campaignRow.fields,
  creation: creationRow.fields,
  ...campaignState,
});

function updateKnownCampaigns(sql: Sql, parts: readonly FoldedPart[]): readonly Fragment[] {
  const known = parts.filter((part) => createdBy(part) === undefined);
  if (known.length === 0) return [];
  const rows = known.map(({ state, current }) => {
    const campaign = { campaignId: state.campaignId };
    return campaignUpdate.encode({ campaign, state, current, indexedAt: 'now' });
  });
  return [updateCampaigns(sql, rows)];
}

/** The row of `ledger.campaign` of a campaign that was created in the batch. */
const newCampaignRows = rowsOf(campaignTable, (part: FoldedPart) => {
  const created = createdBy(part);
  if (created === undefined) return [];
  const { state, current } = part;
  const { campaign } = state;
  if (campaign === null) throw new Error(`campaign ${created.campaignId} was folded to nothing`);
  const creation = { ...created, hash: created.transactionHash };
  return [{ campaign, creation, state, current, indexedAt: 'now' as const }];
});

/** The statement that writes the balances of each account that has an entry in the batch. */
function writeBuckets(sql: Sql, parts: readonly FoldedPart[]): readonly Fragment[] {
  const rows = parts.flatMap(({ state, folded }) => {
    const accounts = new Set(folded.flatMap(({ entries }) => entries.map((one) => one.account)));
    return [...accounts].flatMap((account) => bucketRows(state, account));
  });
  return rows.length === 0 ? [] : [upsertSql(sql, 'bucket', ['campaign_id', 'account'], rows)];
}

function bucketRows(state: FoldState, account: Address): WrittenRow[] {
  const balances = state.accounts.get(account);
  if (balances === undefined) return [];
  const { reserved, ready } = balances;
  const bucket = { ...balances, account, atRisk: reserved - ready, readyToFinalize: ready };
  return [{ campaign_id: state.campaignId, ...bucketRow.encode(bucket) }];
}
