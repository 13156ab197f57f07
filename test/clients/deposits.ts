import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Hex, numberToHex } from 'viem';
import { serializeTransaction } from 'viem/op-stack';
import { request as ask, startAnvil } from '../../engine/cli/stack/anvil.ts';
import type { ChainNode } from '../support/chain.ts';

/** Account from which a chain of the OP stack deposits what it knows of Ethereum, and the contract for it. */
const DEPOSITOR: Hex = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';
const L1_BLOCK: Hex = '0x4200000000000000000000000000000000000015';

/** Options of `startDepositingAnvil`. */
export interface DepositingOptions {
  readonly chainId: number;
  readonly logFile: string;
  /** Milliseconds between blocks. Default: one block per transaction. */
  readonly blockTimeMs?: number;
}

/** A JSON-RPC request. */
interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Starts anvil as a chain of the OP stack, whose blocks begin with a deposit (type 0x7e), as each block of such a
 * chain does. anvil puts none into its blocks, so this proxy sends them, and decides when anvil makes a block.
 */
export async function startDepositingAnvil(options: DepositingOptions): Promise<ChainNode> {
  const { chainId, logFile, blockTimeMs } = options;
  const anvil = await startAnvil({ chainId, logFile, family: 'optimism', onRequest: true });
  const chain = new DepositedChain(anvil.url, blockTimeMs === undefined);
  await chain.begin();
  const server = createServer((request, response) => {
    serve(chain, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const timer =
    blockTimeMs === undefined ? undefined : setInterval(() => void chain.mine(1), blockTimeMs);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await anvil.stop();
    },
  };
}

/** Fields of a deposit; each has another `sourceHash`. */
export interface Deposited {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly sourceHash: Hex;
}

/**
 * A deposit of a call, without value, for `eth_sendRawTransaction`. By `eth_sendTransaction`, anvil names it by
 * another hash in receipts and logs than in the block.
 */
export function deposit(call: Deposited): Hex {
  return serializeTransaction({ type: 'deposit', ...call, gas: 1_500_000n, isSystemTx: false });
}

/** A chain on which the deposit of the next block always waits, before the transactions of that block. */
class DepositedChain {
  #deposits = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly url: string,
    private automine: boolean,
  ) {}

  async begin(): Promise<void> {
    await this.#deposit();
  }

  async mine(blocks: number): Promise<void> {
    await this.#inTurn(() => this.#mine(blocks));
  }

  /** The answer to a call, if the chain decides about it; `undefined` if anvil answers. */
  decide({ method, params = [] }: Call): Promise<unknown> | undefined {
    switch (method) {
      case 'eth_sendTransaction':
      case 'eth_sendRawTransaction':
        return this.#inTurn(async () => {
          const hash = await ask(this.url, method, params);
          if (this.automine) await this.#mine(1);
          return hash;
        });
      case 'evm_setAutomine':
        this.automine = params[0] === true;
        return Promise.resolve(null);
      case 'anvil_mine':
      case 'evm_mine':
        return this.#inTurn(() => this.#mine(Number(params[0] ?? 1)));
      case 'evm_revert':
        return this.#inTurn(async () => {
          const done = await ask(this.url, method, params);
          await ask(this.url, 'anvil_dropAllTransactions', []);
          await this.#deposit();
          return done;
        });
      default:
        return undefined;
    }
  }

  async #mine(blocks: number): Promise<null> {
    for (let i = 0; i < blocks; i += 1) {
      await ask(this.url, 'evm_mine', []);
      await this.#deposit();
    }
    return null;
  }

  async #deposit(): Promise<void> {
    this.#deposits += 1;
    const transaction = deposit({
      from: DEPOSITOR,
      to: L1_BLOCK,
      data: numberToHex(this.#deposits, { size: 32 }),
      sourceHash: numberToHex(this.#deposits, { size: 32 }),
    });
    await ask(this.url, 'eth_sendRawTransaction', [transaction]);
  }

  /** Runs one thing after the other: a block ends between two transactions. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return await result;
  }
}

async function serve(
  chain: DepositedChain,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const posted = (await json(request)) as Call | Call[];
  const answers = Array.isArray(posted)
    ? await Promise.all(posted.map((call) => answer(chain, call)))
    : await answer(chain, posted);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers));
}

async function answer(chain: DepositedChain, call: Call): Promise<unknown> {
  const about = { jsonrpc: '2.0', id: call.id ?? null };
  try {
    const decided = chain.decide(call);
    if (decided !== undefined) return { ...about, result: await decided };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...about, error: { code: -32_000, message } };
  }
  const response = await fetch(chain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...about, ...call }),
  });
  return await response.json();
}
