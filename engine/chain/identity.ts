import type { HttpTransport, Transport } from 'viem';
import { isUnanswered, nullIfNotFound } from './errors.ts';

/** Thrown if an RPC is of another chain than the deployment. The message holds no URL. */
class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

/** One JSON-RPC request to one RPC. */
type Ask = (request: { method: string; params: readonly unknown[] }) => Promise<unknown>;

/**
 * The chain that all RPCs of a client must be of: its id, and the hash of its first block, which the first RPC
 * that has it says. An RPC without that block is judged by the id alone.
 */
export class ChainIdentity {
  readonly #chainId: number;
  readonly #leftOut = new Map<number, string>();
  #genesisHash: string | undefined;

  constructor(chainId: number, genesisHash?: string) {
    this.#chainId = chainId;
    this.#genesisHash = genesisHash;
  }

  /** Sentences about the RPCs that were of another chain when they were last compared; they hold no URL. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut.values()];
  }

  /**
   * Compares an RPC with the chain.
   * @param place its place among the RPCs, from 1.
   * @throws {WrongChainError} if it is of another chain.
   * @throws the error of a request that it did not answer: then nothing is known of it.
   */
  async check(ask: Ask, place: number): Promise<void> {
    try {
      await this.#compare(ask);
      this.#leftOut.delete(place);
    } catch (error) {
      if (error instanceof WrongChainError) {
        this.#leftOut.set(place, `RPC ${place} of RPC_URL is left out. ${error.message}.`);
      }
      throw error;
    }
  }

  async #compare(ask: Ask): Promise<void> {
    const [id, genesis] = await Promise.all([
      ask({ method: 'eth_chainId', params: [] }),
      firstBlock(ask),
    ]);
    if (Number(id) !== this.#chainId) {
      throw new WrongChainError(`The RPC is of chain ${Number(id)}, not of chain ${this.#chainId}`);
    }
    if (genesis === undefined) return;
    this.#genesisHash ??= genesis;
    if (genesis === this.#genesisHash) return;
    throw new WrongChainError(
      `The RPC is of another chain with the id ${this.#chainId}: its first block is ${genesis}, not ${this.#genesisHash}`,
    );
  }
}

/**
 * The identity that several RPCs of a deployment must share; `undefined` for a single one, which is compared when a
 * program starts, so that it costs no requests later.
 */
export function identityOf(urls: readonly string[], chainId: number): ChainIdentity | undefined {
  return new Set(urls).size > 1 ? new ChainIdentity(chainId) : undefined;
}

/** Hash of block 0; `undefined` if the RPC does not serve it, because history is pruned. */
async function firstBlock(ask: Ask): Promise<string | undefined> {
  try {
    const request = ask({ method: 'eth_getBlockByNumber', params: ['0x0', false] });
    const block = await nullIfNotFound(request);
    const hash: unknown = Object(block).hash;
    return typeof hash === 'string' ? hash.toLowerCase() : undefined;
  } catch (error) {
    if (isUnanswered(error)) throw error;
    return undefined;
  }
}

/**
 * A transport that asks its RPC nothing before it is known to be of the chain: before the first request, and
 * again after each time that it did not answer, because another one may answer at its address then.
 * @param place its place among the RPCs, from 1.
 */
export function onChain(
  transport: HttpTransport,
  identity: ChainIdentity,
  place: number,
): Transport {
  return (parameters) => {
    const rpc = transport(parameters);
    const send = rpc.request as (request: unknown, options?: unknown) => Promise<unknown>;
    let known: Promise<void> | undefined;
    const request = async (body: unknown, options?: unknown) => {
      known ??= identity.check(send, place);
      try {
        await known;
        return await send(body, options);
      } catch (error) {
        if (isUnanswered(error) || error instanceof WrongChainError) known = undefined;
        throw error;
      }
    };
    return { ...rpc, request: request as typeof rpc.request };
  };
}
