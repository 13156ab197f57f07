import type { RetentionTask } from '../core/retention.ts';
import { deleteOldUsage } from '../db/commerce/api-key-usage.ts';
import { choreFinished, choreStarted } from '../db/commerce/chores.ts';
import { deleteOldKeys } from '../db/commerce/idempotency.ts';
import { expireInvitations } from '../db/commerce/invitations.ts';
import { deleteOldMails } from '../db/commerce/mail-outbox.ts';
import {
  deleteOldApiKeys,
  deleteOldAuditEntries,
  deleteOldDetails,
  deleteOldIntents,
  deleteOldInvitations,
  deleteOldJoinRequests,
  deleteOldMembers,
  deleteOldNames,
  deleteOldNonces,
  deleteOldRelayed,
  deleteOldSessions,
  deleteOldSlugs,
  deleteOldVisitors,
  deleteUnpaidDetails,
  deleteUnpaidIntents,
} from '../db/commerce/purges.ts';
import { refreshRanking } from '../db/commerce/refresh-ranking.ts';
import { deleteOldEvents, deleteOldServiceEvents } from '../db/commerce/webhook-outbox.ts';
import type { Pool } from '../db/connection.ts';
import { rankingAge } from '../db/read/distributors/ranking-state.ts';
import { NotSettledError } from '../db/read/snapshot.ts';
import { forgetChanges } from '../db/write/changes.ts';
import type { JobContext } from './context.ts';
import { removeDeletedFiles } from './deleted-files.ts';
import {
  deleteOldReports,
  expireReports,
  pushStrandedReports,
  removeDeletedReports,
} from './reports/upkeep.ts';

/** A task that is repeated. It may run twice: concurrently, or after a crash. */
export interface Chore {
  readonly everySeconds: number;
  run(context: JobContext): Promise<void>;
}

/**
 * The chores by name, as in `commerce.chore`. A chore that is added here is due immediately, and then
 * after each `everySeconds`.
 */
export const chores: Readonly<Record<string, Chore>> & Readonly<Record<RetentionTask, Chore>> = {
  'reports.push-stranded': { everySeconds: 30, run: pushStrandedReports },
  'reports.expire': { everySeconds: 600, run: expireReports },
  'invitations.expire': { everySeconds: 60, run: inBatches(expireInvitations) },
  'changes.forget': { everySeconds: 60, run: inBatches(forgetChanges) },
  'ranking.refresh': { everySeconds: 15, run: refreshOldRanking },
  'reports.forget': { everySeconds: 86_400, run: deleteOldReports },
  'api-key-usage.forget': { everySeconds: 86_400, run: inBatches(deleteOldUsage) },
  'webhook-events.forget': { everySeconds: 3_600, run: inBatches(deleteOldEvents) },
  'mails.forget': { everySeconds: 3_600, run: inBatches(deleteOldMails) },
  'service-events.forget': { everySeconds: 3_600, run: inBatches(deleteOldServiceEvents) },
  'reports.remove-deleted': { everySeconds: 3_600, run: removeDeletedReports },
  'idempotency-keys.forget': { everySeconds: 3_600, run: inBatches(deleteOldKeys) },
  'files.remove-deleted': { everySeconds: 3_600, run: removeDeletedFiles },
  'relayed-transactions.forget': { everySeconds: 86_400, run: inBatches(deleteOldRelayed) },
  'sign-in-nonces.forget': { everySeconds: 3_600, run: inBatches(deleteOldNonces) },
  'sessions.forget': { everySeconds: 3_600, run: inBatches(deleteOldSessions) },
  'opens.forget': { everySeconds: 3_600, run: inBatches(deleteOldVisitors) },
  'released-names.forget': { everySeconds: 86_400, run: inBatches(deleteOldNames) },
  'old-slugs.forget': { everySeconds: 86_400, run: inBatches(deleteOldSlugs) },
  'buyer-details.forget-unpaid': { everySeconds: 86_400, run: inBatches(deleteUnpaidDetails) },
  'buyer-details.forget': { everySeconds: 86_400, run: inBatches(deleteOldDetails) },
  'intents.forget-unpaid': { everySeconds: 86_400, run: inBatches(deleteUnpaidIntents) },
  'intents.forget': { everySeconds: 86_400, run: inBatches(deleteOldIntents) },
  'invitations.forget': { everySeconds: 86_400, run: inBatches(deleteOldInvitations) },
  'join-requests.forget': { everySeconds: 86_400, run: inBatches(deleteOldJoinRequests) },
  'api-keys.forget': { everySeconds: 86_400, run: inBatches(deleteOldApiKeys) },
  'members.forget': { everySeconds: 86_400, run: inBatches(deleteOldMembers) },
  'audit-log.forget': { everySeconds: 86_400, run: inBatches(deleteOldAuditEntries) },
};

/** Repeats a step that handles some rows and returns their number, until none is left. */
function inBatches(step: (pool: Pool, now: Date) => Promise<number>): Chore['run'] {
  return async ({ pool, clock }) => {
    const now = new Date(clock());
    for (let some = true; some; ) some = (await step(pool, now)) > 0;
  };
}

/** Refreshes the ranking if it is old; the API does so after requests only if no worker has. */
async function refreshOldRanking({ pool }: JobContext): Promise<void> {
  try {
    if ((await rankingAge(pool)) !== 'current') await refreshRanking(pool);
  } catch (error) {
    // Before the first settled block there is no distributor to rank.
    if (!(error instanceof NotSettledError)) throw error;
  }
}

/**
 * Runs a chore and records its outcome.
 * @throws what the chore throws, so that the queue retries it.
 */
export async function runChore(
  context: JobContext,
  name: string,
  known: Readonly<Record<string, Chore>> = chores,
): Promise<void> {
  const { pool, clock, log } = context;
  const chore = Object.hasOwn(known, name) ? known[name] : undefined;
  if (chore === undefined) {
    log.warn({ chore: name }, 'there is no such chore: another version of the worker pushed it');
    return;
  }
  await choreStarted(pool, name, new Date(clock()));
  try {
    await chore.run(context);
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    await choreFinished(pool, name, new Date(clock()), sentence);
    throw error;
  }
  await choreFinished(pool, name, new Date(clock()), null);
}
