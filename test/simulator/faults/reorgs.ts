import { type Request, reorg } from '../../support/reorg.ts';
import { requestOf } from '../chain/chronicle.ts';
import type { Fault, Scene } from './fault.ts';

/** Hours of a chain fit in what no reorg can reach: this many blocks at most are replaced. */
const DEEPEST = 29;

/** Other blocks take the place of the newest: most of their calls come again, some elsewhere. */
const replace: Fault = {
  weight: 10,
  run: async (scene) => {
    const depth = await depthOf(scene);
    return depth === 0 ? 'no block to replace' : await replaceBlocks(scene, depth);
  },
};

/** Replaces the newest blocks. @returns what came of their calls, in a few words. */
export async function replaceBlocks(scene: Scene, depth: number): Promise<string> {
  const { history, dice } = scene;
  const head = await history.chronicle.reached();
  // Asked before: the contract is read as it is now.
  const sale = dice.chance(60) ? await history.anySale() : undefined;
  const fork = head - depth;
  announce(scene, fork);
  const { placed, moved, dropped } = placesOf(scene, fork, depth);
  if (sale !== undefined) placed.push([requestOf(history.market, sale), dice.below(depth)]);
  await reorg(history.market.chain, depth, placed);
  for (const [request, offset] of placed) history.chronicle.record(fork + 1 + offset, request);
  const remaining = placed.length - moved - (sale === undefined ? 0 : 1);
  return `${depth} blocks replaced, ${remaining} calls unchanged, ${moved} moved, ${dropped} dropped`;
}

/** The chain gets shorter, and nothing comes in the place of what is gone. */
const shorten: Fault = {
  weight: 3,
  run: async (scene) => {
    const { history } = scene;
    const depth = await depthOf(scene);
    if (depth === 0) return 'no block to take away';
    const fork = (await history.chronicle.reached()) - depth;
    announce(scene, fork);
    history.chronicle.takeAbove(fork);
    await rollBack(scene, depth);
    return `${depth} blocks taken away`;
  },
};

/** How many blocks a reorg replaces; 0 if there is none that it may. */
export async function depthOf({ history, dice }: Scene, most = DEEPEST): Promise<number> {
  const deepest = Math.min(most, await history.chronicle.deepest());
  return deepest === 0 ? 0 : dice.between(1, deepest);
}

/** Takes the newest blocks away. */
export async function rollBack({ history }: Scene, depth: number): Promise<void> {
  await history.market.chain.client.request<{
    Method: 'anvil_rollback';
    Parameters: [number];
    ReturnType: null;
  }>({ method: 'anvil_rollback', params: [depth] });
}

/** Announces a reorg to the checks: what is above the fork may disappear from now on. */
export function announce({ checks }: Scene, fork: number): void {
  checks.reader.discardAbove(fork);
  checks.watch.pause();
}

/** Where the calls of the replaced blocks come to stand: block by block, from 0 above the fork. */
function placesOf({ history, dice }: Scene, fork: number, depth: number) {
  const placed: [Request, number][] = [];
  let [moved, dropped] = [0, 0];
  for (const { blockNumber, request } of history.chronicle.takeAbove(fork)) {
    const lot = dice.below(100);
    if (lot < 20) dropped += 1;
    else if (lot < 45) {
      moved += 1;
      placed.push([request, dice.below(depth)]);
    } else placed.push([request, blockNumber - fork - 1]);
  }
  return { placed, moved, dropped };
}

export const reorgs = { reorg: replace, shorten } as const satisfies Record<string, Fault>;
