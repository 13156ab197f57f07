import { readFileSync } from 'node:fs';
import {
  type Address,
  concatHex,
  encodeFunctionData,
  encodePacked,
  type Hex,
  parseAbi,
  size,
  type TransactionReceipt,
  zeroAddress,
} from 'viem';
import type { HDAccount } from 'viem/accounts';
import type { SafeBatch } from '../../engine/contract/wallet-calls.ts';
import { accountAt, mined, type TestChain } from './chain.ts';
import { lower } from './facts.ts';

const safeAbi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function nonce() view returns (uint256)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
]);
const factoryAbi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)',
]);
const multiSendAbi = parseAbi(['function multiSend(bytes transactions) payable']);

const safeTypes = {
  SafeTx: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
  SafeMessage: [{ name: 'message', type: 'bytes' }],
} as const;

const SAFE_PACKAGE = import.meta.resolve('@safe-global/safe-smart-account/package.json');

/** Code of a contract of Safe, as its package has it. */
function bytecodeOf(path: string): Hex {
  const text = readFileSync(new URL(`build/artifacts/contracts/${path}`, SAFE_PACKAGE), 'utf8');
  const { bytecode }: { bytecode: Hex } = JSON.parse(text);
  return bytecode;
}

/** An account of Safe that two of three owners control. */
export class Safe {
  private constructor(
    private readonly chain: TestChain,
    readonly address: Address,
    private readonly multiSend: Address,
  ) {}

  /** Deploys the contracts of Safe, and an account with these owners, of whom two must sign. */
  static async deploy(chain: TestChain, owners: readonly HDAccount[]): Promise<Safe> {
    const account = accountAt(chain.accounts, 0);
    const { client } = chain;
    async function deployed(path: string): Promise<Address> {
      const hash = await client.deployContract({ abi: [], bytecode: bytecodeOf(path), account });
      const { contractAddress } = await mined(client, hash);
      if (!contractAddress) throw new Error(`${path} was not deployed.`);
      return contractAddress;
    }
    const singleton = await deployed('Safe.sol/Safe.json');
    const factory = await deployed('proxies/SafeProxyFactory.sol/SafeProxyFactory.json');
    const handler = await deployed(
      'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json',
    );
    const multiSend = await deployed('libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json');
    const addresses = owners.map(({ address }) => address);
    const initializer = encodeFunctionData({
      abi: safeAbi,
      functionName: 'setup',
      args: [addresses, 2n, zeroAddress, '0x', handler, zeroAddress, 0n, zeroAddress],
    });
    const { result, request } = await client.simulateContract({
      address: factory,
      abi: factoryAbi,
      functionName: 'createProxyWithNonce',
      args: [singleton, initializer, 0n],
      account,
    });
    await mined(client, await client.writeContract(request));
    return new Safe(chain, lower(result), multiSend);
  }

  /** Executes a file of the Transaction Builder as its app does: several calls as one, by `MultiSendCallOnly`. */
  async execute(
    { transactions }: SafeBatch,
    owners: readonly HDAccount[],
  ): Promise<TransactionReceipt> {
    const [first] = transactions;
    if (first === undefined) throw new Error('The file has no transaction.');
    const single = { to: first.to, value: BigInt(first.value), data: lower(first.data) };
    const call = transactions.length === 1 ? single : this.#together(transactions);
    const operation = transactions.length === 1 ? 0 : 1;
    const { client, chainId } = this.chain;
    const safe = { address: this.address, abi: safeAbi } as const;
    const nonce = await client.readContract({ ...safe, functionName: 'nonce' });
    const none = { safeTxGas: 0n, baseGas: 0n, gasPrice: 0n };
    const noOne = { gasToken: zeroAddress, refundReceiver: zeroAddress };
    const signatures = await joinedSignatures(owners, (owner) =>
      owner.signTypedData({
        domain: { chainId, verifyingContract: this.address },
        types: safeTypes,
        primaryType: 'SafeTx',
        message: { ...call, operation, ...none, ...noOne, nonce },
      }),
    );
    // The simulation throws with the reason of a revert, before anything is sent.
    const { request } = await client.simulateContract({
      ...safe,
      functionName: 'execTransaction',
      account: accountAt(this.chain.accounts, 0),
      args: [
        ...([call.to, call.value, call.data, operation, 0n, 0n, 0n] as const),
        ...([zeroAddress, zeroAddress, signatures] as const),
      ],
    });
    return await mined(client, await client.writeContract(request));
  }

  /** Signature of the account for a hash (ERC-1271). */
  async sign(hash: Hex, owners: readonly HDAccount[]): Promise<Hex> {
    const { chainId } = this.chain;
    return await joinedSignatures(owners, (owner) =>
      owner.signTypedData({
        domain: { chainId, verifyingContract: this.address },
        types: safeTypes,
        primaryType: 'SafeMessage',
        message: { message: hash },
      }),
    );
  }

  #together(transactions: SafeBatch['transactions']) {
    const packed = transactions.map(({ to, value, data }) =>
      encodePacked(
        ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
        [0, to, BigInt(value), BigInt(size(lower(data))), lower(data)],
      ),
    );
    const data = encodeFunctionData({
      abi: multiSendAbi,
      functionName: 'multiSend',
      args: [concatHex(packed)],
    });
    return { to: this.multiSend, value: 0n, data };
  }
}

/** Signatures of owners in the order that the contract wants: by address. */
async function joinedSignatures(
  owners: readonly HDAccount[],
  sign: (owner: HDAccount) => Promise<Hex>,
): Promise<Hex> {
  const ordered = owners.toSorted((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
  return concatHex(await Promise.all(ordered.map(sign)));
}
