import { openBull } from '../../../engine/settlement/bull.ts';
import type { Fault, Scene } from './fault.ts';

/** A campaign that no chain has. */
const NOWHERE = '999999999';

/** The same job many times over, past the queue's own deduplication. */
const duplicateJobs: Fault = {
  weight: 3,
  run: async (scene) => {
    const { history, dice } = scene;
    const campaignId = String(dice.between(1, await history.sight.campaignCount()));
    const copies = dice.between(2, 12);
    await Promise.all([history.play(3), push(scene, Array(copies).fill(campaignId))]);
    return `${copies} jobs for campaign ${campaignId}`;
  },
};

/** Jobs that are about nothing any more: campaigns that are settled, or that never were. */
const staleJobs: Fault = {
  weight: 3,
  run: async (scene) => {
    const count = await scene.history.sight.campaignCount();
    const all = Array.from({ length: count }, (_, i) => String(i + 1));
    await push(scene, [...all, NOWHERE]);
    return `${all.length} jobs for settled campaigns, and one for none`;
  },
};

/** Puts jobs into the queue as settlement's own are, but for their deduplication. */
async function push({ system }: Scene, campaignIds: readonly string[]): Promise<void> {
  const { chain, databaseUrl, redis } = system;
  const options = {
    redisUrl: redis?.url,
    databaseUrl,
    prefix: `tributary-31337-${chain.contract.toLowerCase()}`,
  };
  const bull = await openBull<{ campaignId: string }>('settlement', options, { attempts: 1 });
  try {
    for (const campaignId of campaignIds) await bull.queue.add('settle', { campaignId }, {});
  } finally {
    await bull.close();
  }
}

export const queueFaults = { duplicateJobs, staleJobs } as const satisfies Record<string, Fault>;
