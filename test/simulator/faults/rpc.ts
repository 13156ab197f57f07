import { setTimeout } from 'node:timers/promises';
import type { NonEmpty } from '../dice.ts';
import { SimulationFailure } from '../failure.ts';
import type { Consumer, RpcFault, RpcProxy } from '../parts/rpc-proxy.ts';
import { Provider } from '../parts/rpc-traits.ts';
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

/** Some traits of providers together, for each consumer others. */
const rpcTraits: Fault = {
  weight: 6,
  run: async ({ history, system, dice }) => {
    const whom = dice.pick(WHOM);
    const steps = dice.between(2, 6);
    const providers = whom.map((consumer) => {
      // With it, real minutes would have to pass.
      const provider = Provider.picked(dice.fork(), ['rateWithTime']);
      system.proxy.give(consumer, provider);
      return provider;
    });
    try {
      await history.play(steps);
      await setTimeout(LINGER_MS);
    } finally {
      system.proxy.mend();
    }
    const hits = providers.flatMap(({ hits }) => [...hits]);
    const changed = hits.map(([name, count]) => `${name} ${count}`).join(', ');
    return `${changed || 'nothing'} for ${whom.join(', ')} over ${steps} steps`;
  },
};

/** The first RPC is away, and the second one is of another chain: neither may be believed. */
const rpcOtherChain: Fault = {
  weight: 3,
  run: async ({ history, system: { proxy }, dice }) => {
    const whom = dice.pick(WHOM);
    const steps = dice.between(2, 6);
    for (const consumer of whom) proxy.mislead(consumer);
    try {
      await history.play(steps);
      await setTimeout(LINGER_MS);
    } finally {
      proxy.mend();
    }
    if (proxy.askedOfOther > 0) {
      throw new SimulationFailure(`an RPC of another chain was asked ${proxy.askedOfOther} times`);
    }
    return `for ${whom.join(', ')} over ${steps} steps`;
  },
};

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
  rpcTraits,
  rpcOtherChain,
} as const satisfies Record<string, Fault>;
