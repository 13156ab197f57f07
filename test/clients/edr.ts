import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  type AccountOverride,
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
  OP_CHAIN_TYPE,
  opGenesisState,
  opHardforkFromString,
  opProviderFactory,
  type Provider,
} from '@nomicfoundation/edr';
import { hexToBytes, parseEther, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { ChainNode } from '../support/chain.ts';

/** Kind of chain that EDR runs: Ethereum, or one of the OP stack. */
export type EdrChainType = 'l1' | 'op';

/** The newest hardforks that are not experimental in EDR. */
const kinds = {
  l1: {
    type: L1_CHAIN_TYPE,
    factory: l1ProviderFactory,
    hardfork: 'osaka',
    genesis: (name: string): AccountOverride[] => l1GenesisState(l1HardforkFromString(name)),
  },
  op: {
    type: OP_CHAIN_TYPE,
    factory: opProviderFactory,
    hardfork: 'isthmus',
    genesis: (name: string): AccountOverride[] => opGenesisState(opHardforkFromString(name)),
  },
} as const;

/** Mnemonic of the funded accounts of anvil and Hardhat. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
const ACCOUNTS = 10;

const BLOCK_GAS = 60_000_000n;
/** Gas of a transaction that names none; Osaka allows 2^24. */
const TRANSACTION_GAS = 16_000_000n;

/** Options of `startEdr`. */
export interface EdrOptions {
  readonly type: EdrChainType;
  readonly chainId: number;
  /** Milliseconds between blocks. Default: one block per transaction. */
  readonly blockTimeMs?: number;
}

let context: Promise<EdrContext> | undefined;

/** The one context that a process may have. */
function edr(): Promise<EdrContext> {
  context ??= (async () => {
    const created = new EdrContext();
    for (const { type, factory } of Object.values(kinds)) {
      await created.registerProviderFactory(type, factory());
    }
    return created;
  })();
  return context;
}

/**
 * Starts the node of Hardhat 3 in this process, behind an RPC on 127.0.0.1. Hardhat itself adds 50 packages, a
 * compiler and a configuration file to it, and none of its chain.
 */
export async function startEdr(options: EdrOptions): Promise<ChainNode> {
  const provider = await providerOf(options);
  const server = createServer((request, response) => {
    serve(provider, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function providerOf({ type, chainId, blockTimeMs }: EdrOptions): Promise<Provider> {
  const kind = kinds[type];
  const accounts = Array.from({ length: ACCOUNTS }, (_, addressIndex) =>
    mnemonicToAccount(MNEMONIC, { addressIndex }),
  );
  const funded = accounts.map(({ address }) => ({
    address: hexToBytes(address),
    balance: parseEther('10000'),
    code: new Uint8Array(),
  }));
  const id = BigInt(chainId);
  const provider = await (await edr()).createProvider(
    kind.type,
    {
      allowBlocksWithSameTimestamp: false,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: true,
      chainId: id,
      networkId: id,
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: TRANSACTION_GAS,
      genesisState: [...funded, ...kind.genesis(kind.hardfork)],
      hardfork: kind.hardfork,
      initialBaseFeePerGas: 1_000_000_000n,
      minGasPrice: 0n,
      mining: {
        autoMine: blockTimeMs === undefined,
        blockGasLimit: BLOCK_GAS,
        memPool: { order: MineOrdering.Priority },
        ...(blockTimeMs === undefined ? {} : { interval: BigInt(blockTimeMs) }),
      },
      network: {
        genesisBlockGasLimit: BLOCK_GAS,
        genesisBlockTime: BigInt(Math.floor(Date.now() / 1_000)),
      },
      observability: {},
      ownedAccounts: accounts.map((account) => toHex(account.getHdKey().privateKey ?? '')),
      precompileOverrides: [],
    },
    {
      enable: false,
      decodeConsoleLogInputsCallback: () => [],
      printLineCallback: () => {},
    },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  );
  return provider;
}

/** A JSON-RPC request, as far as this server reads it. */
interface Call {
  readonly id?: unknown;
  readonly params?: unknown;
}

async function serve(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const posted = (await json(request)) as Call | Call[];
  const answers = Array.isArray(posted)
    ? await Promise.all(posted.map((call) => answer(provider, call)))
    : await answer(provider, posted);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers));
}

/** EDR takes no call without parameters, and its answers lack version and id. */
async function answer(provider: Provider, call: Call): Promise<object> {
  const { data } = await provider.handleRequest(JSON.stringify({ params: [], ...call }));
  const result: object = typeof data === 'string' ? JSON.parse(data) : data;
  return { jsonrpc: '2.0', id: call.id ?? null, ...result };
}
