import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../engine/cli/stack/anvil.ts';
import { deployOn, type TestChain, testClient } from '../support/chain.ts';
import { startDepositingAnvil } from './deposits.ts';
import { type EdrChainType, startEdr } from './edr.ts';

/** A client other than anvil for Ethereum, with the contract on its chain. */
export interface ChainClient {
  readonly name: string;
  readonly start: () => Promise<TestChain>;
  /** Variables that its traits call for. */
  readonly env: Readonly<Record<string, string>>;
  /** What `tributary doctor` does not find there. */
  readonly lacks: readonly string[];
  /** Type of the first receipt of each block, if each block begins with the same. */
  readonly firstReceipt?: string;
}

/** EDR calls its newest block final, and a reorg replaces it all the same. */
const edrEnv = { FINALITY_BLOCKS: '64' };

export const edrOp: ChainClient = {
  name: 'EDR as a chain of the OP stack',
  start: () => onEdr('op', 84_532),
  env: edrEnv,
  lacks: ['receipts', 'websocket'],
};

export const edrEthereum: ChainClient = {
  name: 'EDR as Ethereum',
  start: () => onEdr('l1', 11_155_111),
  env: edrEnv,
  lacks: ['receipts', 'websocket'],
};

export const anvilOptimism: ChainClient = {
  name: 'anvil as a chain of the OP stack, with a deposit in every block',
  start: async () => {
    const dir = await folder();
    const chainId = 8_453;
    const node = await startDepositingAnvil({ chainId, logFile: join(dir, 'anvil.log') });
    return await deployOn(node, { client: testClient(node.url, chainId), chainId, dir });
  },
  env: {},
  lacks: ['websocket'],
  firstReceipt: '0x7E',
};

export const anvilCelo: ChainClient = {
  name: 'anvil as Celo',
  start: async () => {
    const dir = await folder();
    const chainId = 42_220;
    const node = await startAnvil({ chainId, family: 'celo', logFile: join(dir, 'anvil.log') });
    return await deployOn(node, { client: testClient(node.url, chainId), chainId, dir });
  },
  env: {},
  lacks: [],
};

async function onEdr(type: EdrChainType, chainId: number): Promise<TestChain> {
  const node = await startEdr({ type, chainId });
  const client = testClient(node.url, chainId, 'hardhat');
  return await deployOn(node, { client, chainId, dir: await folder() });
}

function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tributary-client-'));
}
