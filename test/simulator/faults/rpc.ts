import { setTimeout } from 'node:timers/promises';
import type { NonEmpty } from '../dice.ts';
import type { Consumer, RpcFault, RpcProxy } from '../parts/rpc-proxy.ts';
import type { Fault } from './fault.ts';

const WHOM: NonEmpty<readonly Consumer[]> = [['indexer'], ['worker'], ['indexer', 'worker', 'api']];

/** Milliseconds that a fault goes on after the calls that it hits. */
const LINGER_MS = 700;

/** A node that goes wrong in this way for some calls, or for all of them. */
function rpcFault(kind: RpcFault['kind'], options: Pick<Fault, 'weight' | 'onRequest'>): Fault {
  return {
    ...options,
    run: async (scene) => {
      const { history, system, dice } = scene;
      const whom = dice.pick(WHOM);
      const percent = dice.pick([25, 60, 100]);
      const lagBlocks = dice.between(1, 6);
      const steps = dice.between(2, 6);
      breakFor(system.proxy, whom, { kind, percent, lagBlocks, dice: scene.dice.fork() });
      const before = system.proxy.hits.get(kind) ?? 0;
      try {
        await history.play(steps);
        await setTimeout(LINGER_MS);
      } finally {
        system.proxy.mend();
      }
      const hits = (system.proxy.hits.get(kind) ?? 0) - before;
      return `${hits} answers (${percent} %) for ${whom.join(', ')} over ${steps} steps`;
    },
  };
}

function breakFor(proxy: RpcProxy, whom: readonly Consumer[], fault: RpcFault): void {
  for (const consumer of whom) proxy.break(consumer, fault);
}

export const rpcFaults = {
  rpcLag: rpcFault('lag', { weight: 3 }),
  rpc429: rpcFault('rateLimit', { weight: 3 }),
  rpcDrop: rpcFault('drop', { weight: 3 }),
  rpcTruncate: rpcFault('truncate', { weight: 3 }),
  rpcSlow: rpcFault('slow', { weight: 2 }),
  rpcEmptyLogs: rpcFault('emptyLogs', { weight: 2 }),
  rpcShortLogs: rpcFault('shortLogs', { weight: 3, onRequest: true }),
  rpcRepeatedLogs: rpcFault('repeatedLogs', { weight: 2 }),
  rpcShuffledLogs: rpcFault('shuffledLogs', { weight: 2 }),
  rpcWrongHash: rpcFault('wrongHash', { weight: 3, onRequest: true }),
} as const satisfies Record<string, Fault>;
