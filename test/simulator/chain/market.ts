import { type Abi, type Address, type Hex, maxUint256 } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../../abis/test/blocklistToken.ts';
import { feeTokenAbi, feeTokenBytecode } from '../../../abis/test/feeToken.ts';
import type { Actor } from '../../../sample/actors.ts';
import { giveTokens } from '../../support/actions.ts';
import {
  accountAt,
  deployToken,
  mined,
  startTestChain,
  type TestChain,
} from '../../support/chain.ts';
import type { NonEmpty } from '../dice.ts';

/** Unix seconds of every simulated chain's genesis; a block comes a second after the one before. */
const GENESIS_TIME = 1_790_000_000;

/** The mnemonic of anvil's own accounts: worth nothing. */
const MNEMONIC = 'test test test test test test test test test test test junk';

/** The chain of a simulation, and who acts on it. */
export interface Market {
  readonly chain: TestChain;
  /** One of 6 decimals, one of 18, one that takes 3 % of each transfer, and `blocklistToken`. */
  readonly tokens: NonEmpty<Address>;
  /** Anybody can block any account in it. */
  readonly blocklistToken: Address;
  readonly merchants: NonEmpty<Actor>;
  readonly attester: Actor;
  /** Everybody: any of them may buy, join or relay. */
  readonly everybody: NonEmpty<Actor>;
  /** The last block that no reorg may touch: tokens were made and handed out up to it. */
  readonly firstBlock: number;
}

/**
 * Starts a chain whose every block follows from the calls alone: the clock goes by blocks and not
 * by the wall.
 */
export async function openMarket(): Promise<Market> {
  const chain = await startTestChain({ genesisTimestamp: GENESIS_TIME });
  const plain = await deployToken(chain);
  const eighteen = await deployToken(chain, { name: 'Eighteen', symbol: 'E18', decimals: 18 });
  const fee = await deployOther(chain, feeTokenAbi, feeTokenBytecode, [300n]);
  const blocklistToken = await deployOther(chain, blocklistTokenAbi, blocklistTokenBytecode, []);
  const tokens = [plain, eighteen, fee, blocklistToken] as const;
  for (const token of tokens) {
    for (const account of chain.accounts) {
      await giveTokens(chain, token, account, maxUint256 / 1_000_000n);
    }
  }
  const [a, b, c, ...others] = chain.accounts.map((address, i) => actorOf(address, i));
  if (a === undefined || b === undefined || c === undefined) {
    throw new Error('anvil has fewer than three accounts.');
  }
  return {
    chain,
    tokens: [...tokens],
    blocklistToken,
    merchants: [a, b],
    attester: c,
    everybody: [a, b, c, ...others],
    firstBlock: Number(await chain.client.getBlockNumber()),
  };
}

function actorOf(address: Address, addressIndex: number): Actor {
  const key = mnemonicToAccount(MNEMONIC, { addressIndex }).getHdKey().privateKey;
  if (key === null) throw new Error(`The mnemonic has no key ${addressIndex}.`);
  const privateKey: Hex = `0x${Buffer.from(key).toString('hex')}`;
  return { name: `account ${addressIndex}`, privateKey, address };
}

async function deployOther(
  chain: TestChain,
  abi: Abi,
  bytecode: Hex,
  args: readonly unknown[],
): Promise<Address> {
  const hash = await chain.client.deployContract({
    abi,
    bytecode,
    args,
    account: accountAt(chain.accounts, 0),
  });
  const { contractAddress } = await mined(chain.client, hash);
  if (!contractAddress) throw new Error('The deployment made no contract.');
  return contractAddress;
}
