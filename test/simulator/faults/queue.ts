import { openBull } from '../../../engine/queue/bull.ts';
import type { SettleJob } from '../../../engine/queue/settle-queue.ts';
import type { Fault, Scene } from './fault.ts';

/** A campaign that no chain has. */
const NOWHERE = '999999999';

/** A campaign is in many jobs, each together with another one, past all deduplication. */
const duplicateJobs: Fault = {
  weight: 3,
  run: async (scene) => {
    const { history, dice } = scene;
    const count = await history.sight.campaignCount();
    const campaignId = String(dice.between(1, count));
    const jobs = Array.from({ length: dice.between(2, 12) }, () => [
      ...new Set([campaignId, String(dice.between(1, count))]),
    ]);
    await Promise.all([history.play(3), push(scene, jobs)]);
    return `${jobs.length} jobs for campaign ${campaignId}, some with others`;
  },
};

/** Jobs that are about nothing any more: campaigns that are settled, or that never were. */
const staleJobs: Fault = {
  weight: 3,
  run: async (scene) => {
    const count = await scene.history.sight.campaignCount();
    const all = Array.from({ length: count }, (_, i) => String(i + 1));
    await push(scene, [all, ...all.map((campaignId) => [campaignId]), [NOWHERE]]);
    return `${all.length + 1} jobs for settled campaigns, and one for none`;
  },
};

/** Adds jobs to the queue as settlement does, without their deduplication. */
async function push({ system }: Scene, jobs: readonly SettleJob['campaignIds'][]): Promise<void> {
  const { chain, databaseUrl, redis } = system;
  const options = {
    redisUrl: redis?.url,
    databaseUrl,
    prefix: `tributary-31337-${chain.contract.toLowerCase()}`,
  };
  const bull = await openBull<SettleJob>('settlement', options, {
    attempts: 1,
    canPushWhileRunning: true,
  });
  try {
    for (const campaignIds of jobs) await bull.queue.add('settle', { campaignIds }, {});
  } finally {
    await bull.close();
  }
}

export const queueFaults = { duplicateJobs, staleJobs } as const satisfies Record<string, Fault>;
