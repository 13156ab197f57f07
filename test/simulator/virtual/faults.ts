import type { Fact } from '../../../engine/core/events.ts';
import { SimulationFailure } from '../failure.ts';
import type { VirtualBlock } from './chain.ts';
import type { RpcFault } from './chain-view.ts';
import { NO_ATTESTER } from './contract-state.ts';
import type { Scene } from './scene.ts';

/** Something that goes wrong on a simulated chain. */
interface VirtualFault {
  /** How often it comes, in relation to the others. */
  readonly weight: number;
  /** @returns whether it happened: there may be no block to replace, or no batch to kill. */
  run(scene: Scene): Promise<boolean>;
}

/** Blocks of an outage: longer than any finality here, with a margin. */
const OUTAGE_BLOCKS = { least: 70, most: 130 } as const;

async function pumps(scene: Scene, most: number, pump = () => scene.pump()): Promise<void> {
  for (let left = scene.dice.between(1, most); left > 0; left -= 1) await pump();
}

/** Other blocks take the place of the newest; most of their calls come again, some elsewhere. */
function replaceBlocks(scene: Scene, depth: number): void {
  const { dice } = scene;
  const removed = scene.rollBack(depth);
  const placed = removed.map(() => [] as VirtualBlock['calls'][number][]);
  for (const [i, { calls }] of removed.entries()) {
    for (const call of calls) {
      const lot = dice.below(100);
      if (lot < 20) continue;
      placed[lot < 45 ? dice.below(placed.length) : i]?.push(call);
    }
  }
  for (const [i, calls] of placed.entries()) {
    const before = scene.chain.head.timestamp;
    const wanted = (removed[i]?.timestamp ?? before) + dice.below(2);
    const order = dice.chance(30) ? dice.shuffled(calls) : calls;
    scene.chain.mine(order, Math.max(before + 1, wanted));
  }
  scene.follow();
}

const reorg: VirtualFault = {
  weight: 10,
  run: async (scene) => {
    await pumps(scene, 4);
    const depth = scene.depth();
    if (depth > 0) replaceBlocks(scene, depth);
    await pumps(scene, 6);
    return depth > 0;
  },
};

const shorten: VirtualFault = {
  weight: 4,
  run: async (scene) => {
    await scene.settle();
    const depth = scene.depth();
    if (depth > 0) scene.rollBack(depth);
    scene.follow();
    await pumps(scene, 8);
    return depth > 0;
  },
};

/**
 * The chain replaces blocks and goes on for longer than finality.
 * @param step called after each part of it.
 * @returns whether blocks were replaced.
 */
async function reorgAndGoOn(scene: Scene, step: () => Promise<void>): Promise<boolean> {
  const { dice } = scene;
  const blocks = dice.between(OUTAGE_BLOCKS.least, OUTAGE_BLOCKS.most);
  scene.playBlocks(dice.below(6));
  await step();
  const depth = scene.depth(12);
  if (depth > 0) replaceBlocks(scene, depth);
  await step();
  for (let left = blocks; left > 0; left -= 35) {
    scene.playBlocks(Math.min(35, left));
    await step();
  }
  return depth > 0;
}

/** Feeder and workers are away for longer than finality; the indexer goes on. */
const settlementOutage: VirtualFault = {
  weight: 5,
  run: async (scene) => {
    const { dice, settlement, indexer, chain } = scene;
    if (dice.chance(50)) await scene.settle();
    else await pumps(scene, 3);
    if (dice.chance(50)) {
      // Not an orderly stop: batches die.
      settlement.kill([{ statement: dice.below(20), death: 'abandoned' }]);
      await settlement.work(1);
    }
    settlement.stop();
    const happened = await reorgAndGoOn(scene, () => indexer.follow(chain.blocks));
    await pumps(scene, 5, () => scene.pumpSettlement());
    return happened;
  },
};

/** The indexer is away for longer than finality; settlement goes on with what there is. */
const indexerOutage: VirtualFault = {
  weight: 5,
  run: async (scene) => {
    if (scene.dice.chance(50)) await scene.settle();
    else await pumps(scene, 3);
    const happened = await reorgAndGoOn(scene, () => scene.pumpSettlement());
    await scene.indexer.restart(scene.chain.blocks, () => restartedBetween(scene));
    return happened;
  },
};

/** Everything is away for longer than finality. */
const wholeOutage: VirtualFault = {
  weight: 3,
  run: async (scene) => {
    if (scene.dice.chance(50)) await scene.settle();
    else await pumps(scene, 3);
    scene.settlement.stop();
    const happened = await reorgAndGoOn(scene, async () => {});
    await scene.indexer.restart(scene.chain.blocks, () => restartedBetween(scene));
    return happened;
  },
};

async function restartedBetween(scene: Scene): Promise<void> {
  await pumps(scene, 3, () => scene.pumpSettlement());
  if (scene.dice.chance(20)) await scene.passTime();
}

/** The indexer is killed, and recovers: rows vanish, and come back. */
const indexerCrash: VirtualFault = {
  weight: 5,
  run: async (scene) => {
    await pumps(scene, 3);
    scene.play(scene.dice.between(1, 40));
    const depth = scene.dice.chance(40) ? scene.depth() : 0;
    if (depth > 0) replaceBlocks(scene, depth);
    await scene.indexer.restart(scene.chain.blocks, () => restartedBetween(scene));
    return true;
  },
};

/** Blocks are replaced while the indexer fetches them: it follows the dead fork for a while. */
const deadFork: VirtualFault = {
  weight: 6,
  run: async (scene) => {
    const { dice, indexer, chain } = scene;
    scene.play(dice.between(10, 60), 3);
    const fork = [...chain.blocks];
    await indexer.follow(fork, fork.length - 1 - dice.below(8));
    const depth = scene.depth(12);
    if (depth > 0) replaceBlocks(scene, depth);
    for (let left = dice.between(1, 4); left > 0; left -= 1) {
      await indexer.follow(fork, Math.min(fork.length - 1, indexer.head + dice.below(4)));
      scene.playBlocks(dice.below(3));
      await pumps(scene, 3, () => scene.pumpSettlement());
      if (dice.chance(25)) await scene.passTime();
    }
    return depth > 0;
  },
};

/** The chain switches to another fork, and back to the first one's blocks. */
const flip: VirtualFault = {
  weight: 5,
  run: async (scene) => {
    await pumps(scene, 3);
    const depth = scene.depth();
    if (depth === 0) return false;
    const fork = scene.chain.head.number - depth;
    for (let flips = scene.dice.between(1, 3); flips > 0; flips -= 1) {
      const first = scene.chain.blocks.slice(fork + 1);
      replaceBlocks(scene, scene.chain.head.number - fork);
      await pumps(scene, 4);
      scene.rollBack(scene.chain.head.number - fork);
      for (const { calls, timestamp } of first) scene.chain.mine(calls, timestamp);
      if (scene.chain.head.hash !== first.at(-1)?.hash) {
        throw new SimulationFailure('the same calls on the same fork made other blocks');
      }
      scene.follow();
      await pumps(scene, 4);
    }
    return true;
  },
};

/** Batches die at statements that the dice name, by a kill or a cancelled statement. */
const killInBatch: VirtualFault = {
  weight: 8,
  run: async (scene) => {
    const { dice, settlement, indexer, chain } = scene;
    const died = settlement.died;
    await indexer.follow(chain.blocks);
    await settlement.tick();
    settlement.kill(
      Array.from({ length: dice.between(1, 4) }, () => ({
        statement: dice.below(24),
        death: dice.pick(['abandoned', 'cancelled'] as const),
      })),
    );
    if (dice.chance(40)) {
      const depth = scene.depth();
      if (depth > 0) replaceBlocks(scene, depth);
      await indexer.follow(chain.blocks);
    }
    // Batches of the queue and of the leader.
    if (dice.chance(50)) await settlement.work(scene.workers);
    else await settlement.tick();
    await settlement.work(scene.workers);
    await scene.checks.observe();
    settlement.stop();
    return settlement.died > died;
  },
};

/** Several workers and two leaders do the same work concurrently, some of it out of date. */
const workers: VirtualFault = {
  weight: 5,
  run: async (scene) => {
    const { dice, settlement, chain, indexer } = scene;
    scene.workers = dice.between(1, 4);
    const all = chain.contract.campaigns.map(({ id }) => id);
    const stale = Array.from({ length: dice.between(2, 10) }, () =>
      all.slice(dice.below(all.length)).slice(0, dice.between(1, 9)),
    );
    settlement.push([...stale, ...stale.slice(0, 3), ['999999999']]);
    const depth = dice.chance(50) ? scene.depth() : 0;
    if (depth > 0) replaceBlocks(scene, depth);
    await indexer.follow(chain.blocks);
    await Promise.all([settlement.tick(), settlement.tick(), settlement.work(scene.workers)]);
    await scene.checks.observe();
    return true;
  },
};

/** Only blocks further below the head than settlement asks for proofs are asked for by `eth_getLogs`. */
const BEYOND_PROOF: readonly RpcFault[] = ['shortLogs', 'emptyLogs'];

/** The RPC is wrong in one way for a while, with a reorg or without. */
function rpc(fault: RpcFault, weight: number): VirtualFault {
  return {
    weight,
    run: async (scene) => {
      const { dice, view, indexer, chain } = scene;
      const touched = view.touched;
      if (BEYOND_PROOF.includes(fault)) {
        scene.playBlocks(dice.between(150, 200));
        await indexer.follow(chain.blocks);
      }
      if (fault === 'lag') view.freeze();
      else view.fault = fault;
      scene.checks.lied = fault === 'wrongHash';
      scene.play(dice.between(5, 60));
      const depth = dice.chance(40) ? scene.depth() : 0;
      if (depth > 0) replaceBlocks(scene, depth);
      await pumps(scene, 8);
      await scene.settlement.tick();
      view.fault = 'none';
      return view.touched > touched;
    },
  };
}

/** The RPCs have some traits of providers together for a while, with a reorg or without. */
const rpcTraits: VirtualFault = {
  weight: 14,
  run: async (scene) => {
    const { dice, view, indexer, chain } = scene;
    const { isOverRpc } = view;
    const touched = view.rpcs.touched;
    view.isOverRpc = true;
    if (dice.chance(30)) scene.playBlocks(dice.between(150, 200));
    view.rpcs.break(dice);
    for (let turns = dice.between(1, 3); turns > 0; turns -= 1) {
      scene.play(dice.between(5, 60));
      const depth = dice.chance(40) ? scene.depth() : 0;
      if (depth > 0) replaceBlocks(scene, depth);
      await indexer.follow(chain.blocks);
      await scene.settlement.tick();
      await pumps(scene, 8);
    }
    await view.rpcs.recover();
    await scene.settle();
    view.isOverRpc = isOverRpc;
    return view.rpcs.touched > touched;
  },
};

/** How a fact is written so that it cannot be folded; each is of an event of its campaign. */
const POISONS: readonly ((fact: Fact) => object)[] = [
  () => ({ name: 'Nonsense', args: {} }),
  () => ({ name: 'CampaignFunded', args: {} }),
  () => ({ name: 'CampaignFunded', args: { account: '0x00', amount: '1e80' } }),
  () => ({ name: 'SaleFinalized', args: { saleId: '9'.repeat(40) } }),
  () => ({ name: 'CampaignCreated', args: { merchant: null } }),
  () => ({
    name: 'NodeJoined',
    args: { nodeId: '99999999999999999999', parentNodeId: '0', owner: `0x${'11'.repeat(20)}` },
  }),
  () => ({ name: 'VariantPriced', args: { skuHash: 'not hex', price: '-1' } }),
  () => ({ name: 'CapacityRaised', args: { nodeCapacity: '9'.repeat(99), saleCapacity: 1.5 } }),
];

/** Campaigns of one history whose facts are poisoned, at most: the others stay compared. */
const MAX_POISONED = 8;

/** A fact of a hostile campaign is stored so that it cannot be folded. */
const poison: VirtualFault = {
  weight: 3,
  run: async (scene) => {
    const { dice, chain, hostile, indexer, checks } = scene;
    // Old enough that no reorg gives its id to another campaign.
    const old = chain.contract.campaigns.find(
      ({ hostile: by, createdBlock, id }) =>
        by && createdBlock < chain.head.number - 60 && !checks.poisoned.has(id),
    );
    if (old === undefined || checks.poisoned.size >= MAX_POISONED) {
      await pumps(scene, 3);
      return false;
    }
    await indexer.follow(chain.blocks);
    const account = hostile.address;
    scene.mine([
      hostile.call('allowAttester', (to) =>
        to.allowAttester(old.id, account, account, NO_ATTESTER),
      ),
    ]);
    const [fact] = chain.head.facts;
    if (fact === undefined) return false;
    checks.poisoned.add(old.id);
    const written = POISONS[dice.below(POISONS.length)]?.(fact) ?? {};
    indexer.altered.set(fact.id, { ...fact, ...written } as Fact);
    scene.play(dice.between(5, 60));
    await pumps(scene, 6);
    return true;
  },
};

const all = {
  reorg,
  shorten,
  settlementOutage,
  indexerOutage,
  wholeOutage,
  indexerCrash,
  deadFork,
  flip,
  killInBatch,
  workers,
  rpcDown: rpc('down', 3),
  rpcLag: rpc('lag', 4),
  rpcWrongHash: rpc('wrongHash', 3),
  rpcShortLogs: rpc('shortLogs', 2),
  rpcEmptyLogs: rpc('emptyLogs', 2),
  rpcTraits,
  poison,
} as const satisfies Record<string, VirtualFault>;

export type VirtualFaultName = keyof typeof all;
export const virtualFaults: Readonly<Record<VirtualFaultName, VirtualFault>> = all;

/** Object.keys knows the names of a constant object no better than by this type. */
export const virtualFaultNames = Object.keys(all) as readonly VirtualFaultName[];

export function isVirtualFaultName(name: string): name is VirtualFaultName {
  return Object.hasOwn(virtualFaults, name);
}
