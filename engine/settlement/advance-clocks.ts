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
  /** True if a rollback moved the newest event, so the current policy must be recomputed. */
  readonly rolledBack: boolean;
}

/**
 * Sets campaigns' clocks to the settled block's time if something is due by then, or if a reorg moved
 * that time back; and schedules what is due next.
 * @param settledTime time of the settled block, unix seconds; `null` before the first.
 */
export async function advanceClocks(
  sql: Sql,
  campaigns: readonly AfterBatch[],
  settledTime: number | null,
): Promise<void> {
  const moves: ClockMove[] = [];
  const policies: { readonly cursor: Cursor; readonly clock: number }[] = [];
  for (const { cursor, rolledBack } of campaigns) {
    const { campaignId, clockNext: next, clock: from } = cursor;
    const due = settledTime !== null && next !== null && next <= settledTime;
    const to = due || (settledTime !== null && settledTime < from) ? settledTime : null;
    if (to !== null) moves.push({ campaignId, from, to });
    if (to !== null || rolledBack) policies.push({ cursor, clock: to ?? from });
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

/** Recomputes the policies in effect, as folding the same events alone would leave them. */
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
      const { snapshot } = requireCampaign(campaigns, campaignId);
      const time = times.get(campaignId);
      if (time === undefined) throw new Error(`campaign ${campaignId} has no event ${seq}`);
      const state = { snapshot, policies: policies.get(campaignId) ?? [] };
      return { campaignId, current: currentPolicy(state, policyClock(clock, time)) };
    }),
  );
}
