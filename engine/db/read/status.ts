import type { Sql } from '../connection.ts';
import { type Deployment, readDeployment } from '../deployment.ts';
import { type Heads, readHeads } from '../heads.ts';
import { type AlarmCounts, countAlarms, listAlarms, type SubjectAlarm } from './alarms.ts';
import { toInteger } from './ids.ts';
import type { StoppedCampaign } from './snapshot.ts';
import { readWatch, type Watch } from './watch.ts';

/** How far everything is, and what needs attention. */
export interface LedgerStatus {
  readonly deployment: Deployment | undefined;
  /** `undefined` before settlement's first start. */
  readonly heads: Heads | undefined;
  readonly headSeenAt: Date | null;
  /** What the contract's counters have come to. */
  readonly counts: { readonly campaigns: number; readonly nodes: number; readonly sales: number };
  readonly discrepancies: { readonly count: number; readonly campaigns: readonly string[] };
  readonly stopped: readonly StoppedCampaign[];
  /** Alarms about single campaigns and tokens: the first that are open, and how many there are. */
  readonly alarms: { readonly open: readonly SubjectAlarm[]; readonly counts: AlarmCounts };
  readonly watch: Watch | undefined;
}

/** Discrepancies are counted up to here, and one is too many. */
const DISCREPANCIES_MOST = 10_000;
const CAMPAIGNS_TOLD = 20;
const MAX_OPEN_ALARMS = 100;

interface CountsRow {
  campaigns: string;
  nodes: string;
  sales: string;
  seen_at: Date | null;
}

/** Index reads only; the cost follows the number of alarms, and not what the ledger holds. */
export async function readStatus(sql: Sql): Promise<LedgerStatus> {
  const [deployment, heads, [counts], discrepancies, stopped, open, alarmCounts, watch] =
    await Promise.all([
      readDeployment(sql),
      readHeads(sql),
      sql<CountsRow[]>`
      select coalesce((select max(campaign_id) from ledger.campaign), 0) as campaigns,
        coalesce((select max(node_id) from ledger.node), 0) as nodes,
        coalesce((select max(sale_id) from ledger.sale), 0) as sales,
        (select updated_at from ledger.head) as seen_at`,
      readDiscrepancies(sql),
      readStopped(sql),
      listAlarms(sql, { state: 'open', after: undefined, limit: MAX_OPEN_ALARMS }),
      countAlarms(sql),
      readWatch(sql),
    ]);
  return {
    deployment,
    heads,
    headSeenAt: counts?.seen_at ?? null,
    counts: {
      campaigns: toInteger(counts?.campaigns ?? '0'),
      nodes: toInteger(counts?.nodes ?? '0'),
      sales: toInteger(counts?.sales ?? '0'),
    },
    discrepancies,
    stopped,
    alarms: { open, counts: alarmCounts },
    watch,
  };
}

async function readDiscrepancies(sql: Sql): Promise<LedgerStatus['discrepancies']> {
  const [row] = await sql<{ count: string; campaigns: string[] }[]>`
    with found as (
      select campaign_id from ledger.discrepancy
      order by campaign_id, seq, ordinal limit ${DISCREPANCIES_MOST}
    )
    select count(*) as count, coalesce(array(
      select distinct campaign_id::text from found limit ${CAMPAIGNS_TOLD}
    ), '{}') as campaigns from found`;
  return { count: toInteger(row?.count ?? '0'), campaigns: row?.campaigns ?? [] };
}

async function readStopped(sql: Sql): Promise<StoppedCampaign[]> {
  const rows = await sql<
    { campaign_id: string; stopped_at: Date; stopped_reason: string | null }[]
  >`
    select campaign_id, stopped_at, stopped_reason from ledger.cursor
    where stopped_at is not null order by stopped_at limit ${CAMPAIGNS_TOLD}`;
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    since: row.stopped_at,
    reason: row.stopped_reason ?? '',
  }));
}
