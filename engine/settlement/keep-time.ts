import type { Sql } from '../db/connection.ts';
import { type ClockMove, moveClocks, scheduleClocks } from '../db/write/clock.ts';
import { writeCurrentPolicies } from '../db/write/current-policy.ts';
import type { Cursor } from '../db/write/cursor.ts';
import {
  eventTimes,
  loadCampaigns,
  loadPolicies,
  requireCampaign,
} from '../db/write/load-campaigns.ts';
import { currentPolicy, policyClock } from './fold-batch.ts';

/** A campaign after its batch. */
interface AfterBatch {
  readonly cursor: Cursor;
  /** Whether the newest event is another than the policy in effect was reckoned at. */
  readonly shrunk: boolean;
}

/**
 * Brings campaigns' clocks to the settled block's time where something is due by then, or where
 * a reorg put it back; and notes what is due next.
 */
export async function keepTime(
  sql: Sql,
  campaigns: readonly AfterBatch[],
  settledTime: number | null,
): Promise<void> {
  const moves: ClockMove[] = [];
  const policies: { readonly cursor: Cursor; readonly clock: number }[] = [];
  for (const { cursor, shrunk } of campaigns) {
    const { campaignId, clockNext: next, clock: from } = cursor;
    const due = settledTime !== null && next !== null && next <= settledTime;
    const to = due || (settledTime !== null && settledTime < from) ? settledTime : null;
    if (to !== null) moves.push({ campaignId, from, to });
    if (to !== null || shrunk) policies.push({ cursor, clock: to ?? from });
  }
  if (moves.length > 0) await moveClocks(sql, moves);
  await refreshPolicies(sql, policies);
  if (moves.length > 0) {
    await scheduleClocks(
      sql,
      moves.map(({ campaignId }) => campaignId),
    );
  }
}

/** The policies in effect anew, as folding the same events alone would leave them. */
async function refreshPolicies(
  sql: Sql,
  all: readonly { readonly cursor: Cursor; readonly clock: number }[],
): Promise<void> {
  const stale = all.filter(({ cursor }) => cursor.seq > 0);
  if (stale.length === 0) return;
  const cursors = stale.map(({ cursor }) => cursor);
  const ids = cursors.map(({ campaignId }) => campaignId);
  const [campaigns, policies, times] = await Promise.all([
    loadCampaigns(sql, ids),
    loadPolicies(sql, ids),
    eventTimes(sql, cursors),
  ]);
  await writeCurrentPolicies(
    sql,
    stale.map(({ cursor: { campaignId, seq }, clock }) => {
      const { standing } = requireCampaign(campaigns, campaignId);
      const time = times.get(campaignId);
      if (time === undefined) throw new Error(`campaign ${campaignId} has no event ${seq}`);
      const state = { standing, policies: policies.get(campaignId) ?? [] };
      return { campaignId, current: currentPolicy(state, policyClock(clock, time)) };
    }),
  );
}
