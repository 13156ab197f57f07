import { failureOf } from '../../../chain/errors.ts';
import { type ChainIdentity, WrongChainError } from '../../../chain/identity.ts';
import { type Ability, has, lacks, misses, unknown } from '../ability.ts';
import type { Asker } from '../asker.ts';
import { MAX_SENTENCE, withoutSecrets } from '../secrets.ts';
import { blockIn, blockRequest, failureIn, grouped } from '../subject.ts';

/** Compares an RPC with the chain, as each program does before it asks one. */
export async function chainOf(
  asker: Asker,
  identity: ChainIdentity,
  { chainId, place }: { readonly chainId: number; readonly place: number },
): Promise<Ability> {
  try {
    await identity.check((request) => asker.request(request), place);
    return has('chain', `chain ${chainId}`);
  } catch (error) {
    if (!(error instanceof WrongChainError)) {
      return unknown('chain', `it ${failureOf(error)}`);
    }
    // It has hashes as the RPC returned them.
    return misses('chain', withoutSecrets(error.message, asker.url, MAX_SENTENCE), {
      cost: 'This RPC is left out: it is asked nothing else.',
      set: { RPC_URL: 'RPCs of one chain', CHAIN_ID: 'the id of that chain' },
    });
  }
}

/** Finds out if the RPC has the blocks and logs since the contract was deployed, or else the first block. */
export async function historyOf(
  asker: Asker,
  { startBlock, address }: { readonly startBlock: number | undefined; readonly address: string },
): Promise<Ability> {
  const number = startBlock ?? 0;
  const what =
    startBlock === undefined ? 'the first block' : `block ${grouped(number)} (START_BLOCK)`;
  const answer = await asker.ask('eth_getBlockByNumber', blockRequest(number).params);
  const block = blockIn(answer);
  if (block === undefined) {
    const failure = failureIn(answer);
    const found = `without ${what}: it ${failure?.reason ?? 'answers no block'}`;
    if (failure?.kind !== 'no')
      return { ...unknown('history', found), isNeeded: startBlock !== undefined };
    return startBlock === undefined ? prunedFirst(found) : prunedStart(found);
  }
  if (startBlock === undefined) return has('history', `from the first block, ${block.hash}`);
  const [fromBlock] = blockRequest(number).params;
  const logs = await asker.ask('eth_getLogs', [{ address, fromBlock, toBlock: fromBlock }]);
  if (logs.kind === 'no') return prunedStart(`${what} without its logs: it ${logs.reason}`);
  return has('history', `from ${what}, ${block.hash}`);
}

function prunedFirst(found: string): Ability {
  return lacks('history', found, {
    cost: 'No cost, if the RPC has the blocks since the contract was deployed: set START_BLOCK to try.',
  });
}

function prunedStart(found: string): Ability {
  return misses('history', found, {
    cost: 'The indexer cannot read the sales since the contract was deployed.',
    set: { RPC_URL: 'an RPC with the history since START_BLOCK' },
  });
}
