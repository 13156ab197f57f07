import type { Fragment, Sql } from '../../connection.ts';
import { isPossibleId } from '../../indexer/backlog.ts';
import { fence } from '../../planner.ts';
import {
  address,
  as,
  date,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';

/** Alarms that are about one campaign or token, and that an operator can acknowledge. */
export const subjectAlarmNames = ['campaign-stopped', 'discrepancies', 'audit-failed'] as const;
export type SubjectAlarmName = (typeof subjectAlarmNames)[number];

const alarmRow = rowCodec({
  /** Names the alarm; it stays the same while the cause is the same. */
  key: text,
  name: as<SubjectAlarmName>(),
  /** `null` if it is about a token. */
  campaignId: nullable(text),
  /** `null` if the campaign has no row in the ledger. */
  token: nullable(address),
  merchant: nullable(address),
  sentence: text,
  /** `null` if the time is not stored. */
  since: nullable(date),
  /** How bad it is; an acknowledgement holds up to the level that it was given at. */
  level: text,
  /** Who acknowledged it, when and why; `null` if it is open. */
  acknowledged: optional({
    /** The key that was acknowledged: the alarm's own, or that of a token or merchant. */
    key: text.from('decided_key'),
    /** An operator's address, or the command line. */
    by: text.from('decided_by'),
    at: date.from('decided_at'),
    reason: text.from('decided_reason'),
  }),
});

/** An alarm about one campaign or token. */
export type SubjectAlarm = View<typeof alarmRow>;

/** Number of open alarms by name, and of acknowledged ones. */
export interface AlarmCounts {
  readonly open: Readonly<Record<SubjectAlarmName, number>>;
  readonly acknowledged: number;
}

/** Discrepancies of a campaign are counted up to here. */
const MAX_DISCREPANCIES = 1_000;

/**
 * `alarm`: every alarm about a campaign or token, with the decision that acknowledges it, if any. Index reads
 * only; the cost follows the number of alarms, acknowledged or not.
 */
function alarmTable(sql: Sql): Fragment {
  return sql`
    with recursive ${causes(sql)},
    -- The newest decision of each key if it acknowledges. There are only as many as operators made.
    decision as materialized (
      select * from (
        select distinct on (key) * from commerce.alarm_decision order by key, id desc
      ) newest where action = 'acknowledge'
    ),
    named as (
      select found.name || case when found.campaign_id is null then '/token/' || found.token
          else '/campaign/' || found.campaign_id end || found.kind as key,
        found.name, found.campaign_id, coalesce(found.token, campaign.token) as token,
        campaign.merchant, found.level, found.since, found.sentence
      from found left join lateral (
        select token, merchant from ledger.campaign where campaign_id = case
          when ${isPossibleId(sql, sql`found.campaign_id`)} then found.campaign_id::bigint end
        ${fence(sql)}
      ) campaign on true
    ),
    alarm as (
      select named.*, covering.*
      from named left join lateral (
        select key as decided_key, decided_by, at as decided_at, reason as decided_reason
        from decision
        where decision.key in (named.key, named.name || '/token/' || named.token || '/*',
            named.name || '/merchant/' || named.merchant || '/*')
          and (decision.level is null or decision.level >= named.level)
        order by decision.key <> named.key, decision.id limit 1
      ) covering on true
    )`;
}

/** For a `with recursive`: `found` has the cause of every alarm, acknowledged or not. */
function causes(sql: Sql): Fragment {
  return sql`
    differing as (
      (select campaign_id from ledger.discrepancy order by campaign_id limit 1)
      union all
      select next.campaign_id from differing cross join lateral (
        select campaign_id from ledger.discrepancy
        where campaign_id > differing.campaign_id order by campaign_id limit 1
      ) next
    ),
    found as (
      select 'campaign-stopped' as name, campaign_id::numeric as campaign_id, null::text as token,
        '' as kind, floor(extract(epoch from stopped_at) * 1000)::numeric as level, stopped_at as since,
        'Settlement stopped campaign ' || campaign_id || ': ' || coalesce(stopped_reason, '')
          as sentence
      -- The second condition bounds the index of those that are stopped.
      from ledger.cursor where stopped_at is not null and stopped_at > '-infinity'
      union all
      select 'campaign-stopped', campaign_id, null, '',
        floor(extract(epoch from since) * 1000)::numeric, since,
        'Settlement refuses the facts of campaign ' || campaign_id
          || ': the contract cannot have given that id.'
      from ledger.refused_campaign
      where indexer_schema = (select indexer_schema from ledger.head)
      union all
      select 'discrepancies', campaign_id, null, '', n, null,
        'Campaign ' || campaign_id || ' has ' || n || case when n = 1 then ' discrepancy.'
          else ' discrepancies.' end
      from differing cross join lateral (
        select count(*)::numeric as n from (
          select from ledger.discrepancy where campaign_id = differing.campaign_id
          limit ${MAX_DISCREPANCIES}
        ) some_of_them
      ) counted
      union all
      select 'audit-failed', campaign_id, token, '/' || invariant, level, since, sentence
      from ledger.audit_finding
    )`;
}

/**
 * The first alarms in the order of their keys.
 * @param state `open` or `acknowledged` for only these.
 */
export async function listAlarms(
  sql: Sql,
  { state, limit }: { readonly state?: 'open' | 'acknowledged'; readonly limit: number },
): Promise<SubjectAlarm[]> {
  const only =
    state === undefined ? sql`` : sql`where (decided_key is null) = ${state === 'open'}::boolean`;
  const rows = await sql<StoredRow[]>`
    ${alarmTable(sql)}
    select key, name, campaign_id::text, token, merchant, sentence, since, level::text, decided_key,
      decided_by, decided_at, decided_reason
    from alarm ${only}
    order by key collate "C" limit ${limit}`;
  return rows.map(alarmRow.decode);
}

/** The alarm of a key; `undefined` if there is none now. */
export async function findAlarm(sql: Sql, key: string): Promise<SubjectAlarm | undefined> {
  const [row] = await sql<StoredRow[]>`
    ${alarmTable(sql)}
    select key, name, campaign_id::text, token, merchant, sentence, since, level::text, decided_key,
      decided_by, decided_at, decided_reason
    from alarm where key = ${key}`;
  return row && alarmRow.decode(row);
}

/** Number of open and acknowledged alarms. */
export async function countAlarms(sql: Sql): Promise<AlarmCounts> {
  const rows = await sql<{ name: SubjectAlarmName; open: number; acknowledged: number }[]>`
    ${alarmTable(sql)}
    select name, count(*) filter (where decided_key is null)::int as open,
      count(*) filter (where decided_key is not null)::int as acknowledged
    from alarm group by name`;
  const open = { 'campaign-stopped': 0, discrepancies: 0, 'audit-failed': 0 };
  let acknowledged = 0;
  for (const row of rows) {
    open[row.name] = row.open;
    acknowledged += row.acknowledged;
  }
  return { open, acknowledged };
}
