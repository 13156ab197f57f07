import type { DueCampaign } from '../db/heads.ts';
import type { Backlog } from '../db/indexer/backlog.ts';
import type { CheckedHead } from '../db/indexer/checked.ts';
import { countFacts } from '../db/indexer/facts.ts';
import { groupIntoJobs, MAX_COUNTED } from './group-into-jobs.ts';
import type { BeforeCommit } from './settle-campaigns.ts';
import type { Tick } from './tick.ts';

/** Facts that the leader settles in its own process; other workers share what is more. */
const MAX_FACTS_HERE = 256;

/** Campaigns with facts that a batch can fold now: at or below the checked head. */
export function foldableOf(backlog: readonly Backlog[], checked: CheckedHead): readonly Backlog[] {
  return backlog.filter(
    ({ cursorMissing, firstBlock }) => cursorMissing || (firstBlock ?? 0) <= checked.number,
  );
}

/**
 * Settles campaigns with facts to fold if they are few, and otherwise queues them. A campaign whose fact is
 * missing is queued at each tick and alone, because it may have to ask the chain or roll back. A campaign
 * whose last batch failed is queued alone, too, because others would fail with it.
 * @param beforeCommit called in the transaction of each batch of this process.
 * @returns true if they were settled here.
 */
export async function settleOrPush(
  { pool, queue, pushed, settleHere }: Tick,
  schema: string,
  backlog: readonly Backlog[],
  beforeCommit: BeforeCommit,
): Promise<boolean> {
  const missing = backlog.filter(({ cursorMissing }) => cursorMissing);
  const present = backlog.filter(({ cursorMissing }) => !cursorMissing);
  const progress = new Map(
    present.map(({ campaignId, firstBlock }) => [campaignId, `${firstBlock}`]),
  );
  const toPush =
    pushed === undefined
      ? [...progress.keys()]
      : await pushed.facts.campaignsToPush(progress, performance.now());
  const failing = new Set(
    present.flatMap(({ campaignId, failing: isFailing }) => (isFailing ? [campaignId] : [])),
  );
  const groupable = toPush.filter((campaignId) => !failing.has(campaignId));
  const facts =
    groupable.length < (settleHere === undefined ? 2 : 1)
      ? new Map(groupable.map((campaignId) => [campaignId, 1]))
      : await countFacts(pool, schema, groupable, MAX_COUNTED);
  const alone = [
    ...missing.map(({ campaignId }) => campaignId),
    ...toPush.filter((campaignId) => failing.has(campaignId)),
  ];
  const jobs = groupIntoJobs(facts);
  const total = [...facts.values()].reduce((sum, count) => sum + count, 0);
  const [only, ...others] = jobs;
  const isSmall = alone.length + others.length === 0 && total <= MAX_FACTS_HERE;
  if (settleHere !== undefined && only !== undefined && isSmall) {
    return await settleHere(only, beforeCommit);
  }
  await queue.push([...alone.map((campaignId) => [campaignId]), ...jobs]);
  return false;
}

/** Queues campaigns whose clock has something due or moves back, except those with facts to fold. */
export async function pushDue(
  { queue, pushed }: Tick,
  due: readonly DueCampaign[],
  backlog: readonly Backlog[],
): Promise<void> {
  const progress = new Map(due.map(({ campaignId, clock }) => [campaignId, `${clock}`]));
  for (const { campaignId } of backlog) progress.delete(campaignId);
  const toPush =
    pushed === undefined
      ? [...progress.keys()]
      : await pushed.clocks.campaignsToPush(progress, performance.now());
  await queue.push(groupIntoJobs(new Map(toPush.map((campaignId) => [campaignId, 0]))));
}
