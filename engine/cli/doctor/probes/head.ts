import { LOCAL_CHAIN_ID } from '../../../chain/rpc-chain.ts';
import { countOf } from '../../../core/count-of.ts';
import { type Ability, has, lacks, misses, unknown } from '../ability.ts';
import { grouped, type SeenBlock } from '../subject.ts';

/** Seconds after which a newest block is old, on a chain whose blocks are not slower. */
const OLD_SECONDS = 60;

/** Blocks and seconds behind another RPC from which on an RPC lags. */
const LAG_BLOCKS = 3;
const LAG_SECONDS = 15;

/** The newest block of an RPC, next to those of the others. */
export function headOf(
  head: SeenBlock,
  {
    chainId,
    heads,
    headers,
    nowMs,
  }: {
    readonly chainId: number;
    /** Newest blocks of all RPCs of the chain. */
    readonly heads: readonly SeenBlock[];
    /** Some consecutive blocks, from which the block time is computed. */
    readonly headers: readonly SeenBlock[];
    readonly nowMs: number;
  },
): Ability {
  const age = Math.max(0, Math.round(nowMs / 1_000 - head.timestamp));
  const every = blockSecondsOf(headers);
  const pace = every === undefined ? '' : `, a block every ${every.toFixed(1)} s`;
  const found = `block ${grouped(head.number)}, ${grouped(age)} s old${pace}`;
  const highest = heads.reduce((high, one) => (one.number > high.number ? one : high), head);
  const lag = highest.number - head.number;
  if (lag >= LAG_BLOCKS && highest.timestamp - head.timestamp >= LAG_SECONDS) {
    return lacks('head', `${found}, ${countOf(lag, 'block')} behind another RPC`, {
      cost: 'While this RPC is the one that is asked, sales appear that much later.',
      set: { RPC_URL: 'this URL last, or without it' },
    });
  }
  if (chainId !== LOCAL_CHAIN_ID && age > Math.max(OLD_SECONDS, 10 * (every ?? 0))) {
    return lacks('head', found, {
      cost: 'The RPC is behind its chain, the chain has stopped, or the clock of this machine is wrong: sales appear that much later.',
    });
  }
  return has('head', found);
}

function blockSecondsOf(headers: readonly SeenBlock[]): number | undefined {
  const [first, last] = [headers[0], headers.at(-1)];
  if (first === undefined || last === undefined || first.number === last.number) return undefined;
  return (last.timestamp - first.timestamp) / (last.number - first.number);
}

/** Compares the hashes of a block below the head. */
export function agreementOf(
  seen: readonly { readonly place: number; readonly headers: readonly SeenBlock[] }[],
  quorum: number | undefined,
): Ability | undefined {
  if (seen.length < 2) return undefined;
  const [first] = seen;
  const shared = first?.headers.find(({ number }) =>
    seen.every(({ headers }) => headers.some((one) => one.number === number)),
  );
  if (shared === undefined) return unknown('agreement', 'no block was answered by all RPCs');
  const { number } = shared;
  const others = seen.filter(({ headers }) =>
    headers.some((one) => one.number === number && one.hash !== shared.hash),
  );
  if (others.length > 0) {
    const places = others.map(({ place }) => place).join(', ');
    return misses(
      'agreement',
      `RPC ${places} has another block ${number} than RPC ${first?.place}`,
      {
        cost: 'One of them is on a branch that the chain has left: what is settled depends on which one is asked.',
        set: { RPC_URL: 'RPCs that agree' },
      },
    );
  }
  const found = `${seen.length} RPCs have the same block ${number}`;
  const majority = Math.floor(seen.length / 2) + 1;
  if (quorum !== undefined && quorum > 1) return has('agreement', found);
  return has('agreement', found, {
    set: { RPC_QUORUM: `${majority}, if no single RPC shall be trusted` },
  });
}
