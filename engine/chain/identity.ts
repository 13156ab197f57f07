import type { Transport } from 'viem';
import type { Hex } from '../core/events.ts';
import { aroundRequests } from './around-requests.ts';
import { isAbsent, isFailedCall, isPruned } from './errors.ts';

/** Thrown if an RPC is of another chain than the deployment, or cannot show that it is not. The message holds no URL. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

/** One JSON-RPC request to one RPC. */
type Ask = (request: { method: string; params: readonly unknown[] }) => Promise<unknown>;

/** A chain, and a block that each of its RPCs must have. */
export interface IdentifiedBy {
  readonly chainId: number;
  /** An old block that every RPC serves: no program works without the history since then. */
  readonly startBlock: number;
  /** Hash by which the ledger has recorded the chain (`Deployment`); without it, the first RPC that answers says which it is. */
  readonly genesisHash?: Hex | undefined;
}

/** Milliseconds after which an RPC that is left out is compared again. */
const COMPARE_AGAIN_MS = 60_000;

/** An RPC that is left out, and when it was last compared. */
interface LeftOut {
  readonly sentence: string;
  readonly ask: Ask;
  /** Milliseconds. */
  readonly at: number;
}

/**
 * The chain that all RPCs of a client must be of: its id, and the hash of its first block, which the ledger has recorded, or
 * else the first RPC that has it says. RPCs without that block, because history is pruned, are compared by the start
 * block. An RPC that serves neither is not asked.
 */
export class ChainIdentity {
  readonly #chain: IdentifiedBy;
  readonly #leftOut = new Map<number, LeftOut>();
  /** Hashes that the RPCs of this chain returned, by height. */
  readonly #hashes = new Map<number, string>();
  /** Requests that an RPC did not answer, so that another one was asked. */
  failures = 0;

  constructor(chain: IdentifiedBy) {
    this.#chain = chain;
  }

  /**
   * Sentences about the RPCs that were of another chain when they were last compared; they hold no URL. As nothing
   * else asks such an RPC while another one answers, it is compared again after a minute.
   */
  get leftOut(): readonly string[] {
    const now = Date.now();
    for (const [place, { ask, at }] of this.#leftOut) {
      if (now - at > COMPARE_AGAIN_MS) this.check(ask, place).catch(() => {});
    }
    return [...this.#leftOut.values()].map(({ sentence }) => sentence);
  }

  /**
   * Compares an RPC with the chain.
   * @param place its place among the RPCs, from 1.
   * @throws {WrongChainError} if it is of another chain, or cannot show of which.
   * @throws the error of a request that it did not answer: then nothing is known of it.
   */
  async check(ask: Ask, place: number): Promise<void> {
    try {
      await this.#compare(ask);
      this.#leftOut.delete(place);
    } catch (error) {
      const sentence =
        error instanceof WrongChainError
          ? `RPC ${place} of RPC_URL is left out. ${error.message}.`
          : this.#leftOut.get(place)?.sentence;
      if (sentence !== undefined) this.#leftOut.set(place, { sentence, ask, at: Date.now() });
      throw error;
    }
  }

  async #compare(ask: Ask): Promise<void> {
    const { chainId, startBlock } = this.#chain;
    const [id, ...hashes] = await Promise.all([
      ask({ method: 'eth_chainId', params: [] }),
      hashAt(ask, 0),
      hashAt(ask, startBlock),
    ]);
    const served = hashes.flat();
    if (typeof id !== 'string') throw new Error('the RPC did not say of which chain it is');
    if (Number(id) !== chainId) {
      throw new WrongChainError(`The RPC is of chain ${Number(id)}, not of chain ${chainId}`);
    }
    const { genesisHash } = this.#chain;
    // What such an RPC says outweighs what was believed of others.
    const isRecorded = genesisHash !== undefined && (await hasRecorded(ask, served, genesisHash));
    if (isRecorded) this.#hashes.clear();
    const [shared] = served.filter(({ number }) => this.#hashes.has(number));
    if (shared === undefined && (served.length === 0 || this.#hashes.size > 0)) {
      throw new WrongChainError(
        `The RPC serves neither the first block of its chain nor block ${startBlock} (START_BLOCK), so that nothing shows of which chain it is`,
      );
    }
    if (shared !== undefined && shared.hash !== this.#hashes.get(shared.number)) {
      const { number, hash } = shared;
      const what = number === 0 ? 'its first block' : `its block ${number}`;
      throw new WrongChainError(
        `The RPC is of another chain with the id ${chainId}: ${what} is ${hash}, not ${this.#hashes.get(number)}`,
      );
    }
    const first = served.find(({ number }) => number === 0);
    if (genesisHash !== undefined && first !== undefined && !isRecorded) {
      throw new WrongChainError(
        `The RPC is of another chain with the id ${chainId}: its first block is ${first.hash}, and the ledger's chain is that of ${genesisHash}`,
      );
    }
    for (const { number, hash } of served) this.#hashes.set(number, hash);
  }
}

/**
 * True if an RPC has the block by which the ledger has recorded the chain: the first one, or the start block of that time,
 * which may not be that of today.
 */
async function hasRecorded(
  ask: Ask,
  served: readonly ServedBlock[],
  recorded: Hex,
): Promise<boolean> {
  if (served.some(({ hash }) => hash === recorded)) return true;
  // An RPC without its first block has pruned an earlier start block, too.
  if (!served.some(({ number }) => number === 0)) return false;
  const number = await unlessAbsent(async () => {
    const params = [recorded, false];
    return Object(await ask({ method: 'eth_getBlockByHash', params })).number as unknown;
  });
  if (typeof number !== 'string') return false;
  // An RPC may still serve a block that a reorg has replaced.
  return (await hashAt(ask, Number(number))).some(({ hash }) => hash === recorded);
}

/**
 * The identity that several RPCs of a deployment must share; `undefined` for a single one, which is compared when a
 * program starts, so that it costs no requests later.
 */
export function identityOf(
  urls: readonly string[],
  chain: IdentifiedBy,
): ChainIdentity | undefined {
  return new Set(urls).size > 1 ? new ChainIdentity(chain) : undefined;
}

/** A block that an RPC serves. */
interface ServedBlock {
  readonly number: number;
  /** In lower case. */
  readonly hash: string;
}

/** The hash of a block, in a list; empty if the RPC does not serve that block. A refusal is no such answer. */
async function hashAt(ask: Ask, number: number): Promise<readonly ServedBlock[]> {
  const params = [`0x${number.toString(16)}`, false];
  const hash = await unlessAbsent(
    async () => Object(await ask({ method: 'eth_getBlockByNumber', params })).hash as unknown,
  );
  return typeof hash === 'string' ? [{ number, hash: hash.toLowerCase() }] : [];
}

/** An answer; `undefined` if the RPC says that it does not have it, which a refusal does not say. */
async function unlessAbsent<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (isAbsent(error) || isPruned(error)) return undefined;
    throw error;
  }
}

/**
 * A transport that asks its RPC nothing before it is known to be of the chain: before the first request, and
 * again after each time that any RPC of the chain did not answer, because a fall-back may follow, and another RPC may
 * answer at an address by then.
 * @param place its place among the RPCs, from 1.
 */
export function onChain(transport: Transport, identity: ChainIdentity, place: number): Transport {
  // Outside of the transport: `fallback` makes a new one for each request.
  let known: { readonly check: Promise<void>; readonly failures: number } | undefined;
  return aroundRequests(transport, (send) => async (request, options) => {
    if (known?.failures !== identity.failures) {
      known = { check: identity.check(send, place), failures: identity.failures };
    }
    const { check } = known;
    try {
      await check;
    } catch (error) {
      if (known?.check === check) known = undefined;
      if (!(error instanceof WrongChainError)) identity.failures += 1;
      throw error;
    }
    try {
      return await send(request, options);
    } catch (error) {
      if (!isFailedCall(error)) identity.failures += 1;
      throw error;
    }
  });
}
