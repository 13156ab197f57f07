import type { Sql } from '../../connection.ts';
import { type Deployment, readDeployment } from '../../deployment.ts';
import { type Heads, readHeads } from '../../heads.ts';
import { as, date, id, integer, nullable, rowCodec, type StoredRow, text } from '../../row.ts';
import type { StoppedCampaign } from '../snapshot.ts';
import { type AlarmCounts, countAlarms, listAlarms, type SubjectAlarm } from './alarms.ts';
import { lastBackupAt } from './backups.ts';
import { type LedgerWatch, readWatch } from './watch.ts';

/** How far each part of the ledger is, and what needs attention. */
export interface LedgerStatus {
  readonly deployment: Deployment | undefined;
  /** `undefined` before settlement's first start. */
  readonly heads: Heads | undefined;
  readonly headSeenAt: Date | null;
  /** The highest ids that the contract has assigned. */
  readonly counts: { readonly campaigns: number; readonly nodes: number; readonly sales: number };
  readonly discrepancies: { readonly count: number; readonly campaigns: readonly string[] };
  readonly stopped: readonly StoppedCampaign[];
  /** Alarms about single campaigns and tokens: the first open ones, and the number of all. */
  readonly alarms: { readonly open: readonly SubjectAlarm[]; readonly counts: AlarmCounts };
  readonly watch: LedgerWatch | undefined;
  /** When the newest backup was completed; `null` if there is none. */
  readonly lastBackupAt: Date | null;
}

/** Discrepancies are counted up to this number: a single one is an alarm. */
const MAX_DISCREPANCIES = 10_000;
const MAX_CAMPAIGNS = 20;
const MAX_OPEN_ALARMS = 100;

const countsRow = rowCodec({
  counts: { campaigns: integer, nodes: integer, sales: integer },
  headSeenAt: nullable(date),
});

/** The status of the ledger: index reads only, whose cost depends on the number of alarms alone. */
export async function readStatus(sql: Sql): Promise<LedgerStatus> {
  const [deployment, heads, [counted], discrepancies, stopped, open, alarmCounts, watch, backupAt] =
    await Promise.all([
      readDeployment(sql),
      readHeads(sql),
      sql<StoredRow[]>`
      select coalesce((select max(campaign_id) from ledger.campaign), 0) as campaigns,
        coalesce((select max(node_id) from ledger.node), 0) as nodes,
        coalesce((select max(sale_id) from ledger.sale), 0) as sales,
        (select updated_at from ledger.head) as head_seen_at`,
      readDiscrepancies(sql),
      readStopped(sql),
      listAlarms(sql, { state: 'open', limit: MAX_OPEN_ALARMS }),
      countAlarms(sql),
      readWatch(sql),
      lastBackupAt(sql),
    ]);
  if (counted === undefined) throw new Error('A select without a table returned no row.');
  return {
    deployment,
    heads,
    ...countsRow.decode(counted),
    discrepancies,
    stopped,
    alarms: { open, counts: alarmCounts },
    watch,
    lastBackupAt: backupAt,
  };
}

const discrepancyCounts = rowCodec({ count: integer, campaigns: as<readonly string[]>() });

async function readDiscrepancies(sql: Sql): Promise<LedgerStatus['discrepancies']> {
  const [row] = await sql<StoredRow[]>`
    with found as (
      select campaign_id from ledger.discrepancy
      order by campaign_id, seq, ordinal limit ${MAX_DISCREPANCIES}
    )
    select count(*) as count, coalesce(array(
      select distinct campaign_id::text from found limit ${MAX_CAMPAIGNS}
    ), '{}') as campaigns from found`;
  if (row === undefined) throw new Error('A select of totals returned no row.');
  return discrepancyCounts.decode(row);
}

const stoppedCampaign = rowCodec({
  campaignId: id,
  since: date.from('stopped_at'),
  reason: text.from('stopped_reason'),
});

async function readStopped(sql: Sql): Promise<StoppedCampaign[]> {
  const rows = await sql<StoredRow[]>`
    select campaign_id, stopped_at, coalesce(stopped_reason, '') as stopped_reason
    from ledger.cursor
    where stopped_at is not null order by stopped_at limit ${MAX_CAMPAIGNS}`;
  return rows.map(stoppedCampaign.decode);
}
