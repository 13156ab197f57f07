import type { NonEmpty } from '../dice.ts';
import type { Part } from '../parts/system.ts';
import type { Fault } from './fault.ts';
import { depthOf, replaceBlocks } from './reorgs.ts';

/** Blocks after which Ponder's finality on chain 31337 has moved past the reorg, with a margin. */
const BLOCKS = { least: 70, most: 100 } as const;

/** Blocks that the reorg replaces, at most. */
const DEEPEST = 12;

/** Milliseconds for everything to be settled before the parts go. */
const SETTLE_MS = 150_000;

const PARTS: NonEmpty<readonly Part[]> = [
  ['workers'],
  ['indexer'],
  ['indexer', 'workers'],
  ['postgres', 'indexer', 'workers', 'api'],
];

/**
 * Parts are away for longer than finality, stopped or killed, and blocks that the ledger has folded
 * are replaced meanwhile.
 */
const outage: Fault = {
  weight: 3,
  run: async (scene) => {
    const { history, system, checks, dice } = scene;
    const [parts, orderly] = [dice.pick(PARTS), dice.chance(50)];
    const blocks = dice.between(BLOCKS.least, BLOCKS.most);
    await system.settledToHead(SETTLE_MS);
    if (parts.includes('api') || parts.includes('postgres')) checks.reader.excuse = 'unavailable';
    const bringBack = await system.takeDown(parts, orderly);
    try {
      await history.play(dice.below(3));
      const depth = await depthOf(scene, DEEPEST);
      if (depth > 0) await replaceBlocks(scene, depth);
      await history.market.chain.client.mine({ blocks, interval: 1 });
      await history.play(dice.below(4));
    } finally {
      await bringBack();
    }
    const how = orderly ? 'stopped' : 'killed';
    return `${parts.join(', ')} ${how} for ${blocks} blocks, after a reorg`;
  },
};

export const outages = { outage } as const satisfies Record<string, Fault>;
