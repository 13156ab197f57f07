import { keccak256, type LocalAccount } from 'viem';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Address, Hex } from '../core/events.ts';
import { toBlock } from './blocks.ts';
import type { ChainBlock } from './chain.ts';
import { MAX_BATCH_CALLS, rpcClient } from './client.ts';
import { isFailedCall, nullIfNotFound, revertData } from './errors.ts';
import { type IdentifiedBy, identityOf } from './identity.ts';
import { revertName } from './revert-name.ts';

/** Price of a unit of gas that a transaction offers, wei. */
export interface Fees {
  readonly maxFee: bigint;
  readonly priorityFee: bigint;
}

/** Outcome of a transaction that is in a block. */
export interface RelayedOutcome {
  readonly reverted: boolean;
  /** Wei, with the fee that some chains take for publishing it on another one. */
  readonly cost: bigint;
}

/** The chain as the relayer asks it, and the transactions that it signs. */
export interface RelayerChain {
  /** Lower case. */
  readonly address: Address;
  head(): Promise<ChainBlock>;
  /** Wei of the relayer's account. */
  balance(): Promise<bigint>;
  fees(): Promise<Fees>;
  /** Number of an account's transactions in blocks. */
  minedNonce(sender: Address): Promise<number>;
  /** True if the contract, at the newest block, has a sale of that order. */
  isRecorded(order: {
    readonly campaignId: string;
    readonly buyer: Address;
    readonly orderKey: Hex;
  }): Promise<boolean>;
  /** Gas of a call of the contract at the newest block; the contract's error, or `null` for too much gas. */
  estimate(data: Hex, maxGas: bigint): Promise<{ gas: bigint } | { revert: string } | null>;
  /** Signs a call of the contract, and sends nothing. */
  sign(
    call: Fees & { readonly data: Hex; readonly gas: bigint; readonly nonce: number },
  ): Promise<{ hash: Hex; signed: Hex }>;
  /** Sends a signed transaction. @throws if the RPC does not take it, also if it has it already. */
  broadcast(signed: Hex): Promise<void>;
  /** `null` if the transaction is in no block. */
  outcome(hash: Hex): Promise<RelayedOutcome | null>;
  /** True if the RPC has the transaction, in a block or waiting for one. */
  isKnown(hash: Hex): Promise<boolean>;
}

/** A simulation may take more gas than a transaction: with too little, a contract may revert for another reason. */
const SIMULATION_FACTOR = 10n;

/** The relayer's chain over the deployment's RPCs. */
export function relayerChain(
  options: IdentifiedBy & {
    readonly chainId: number;
    readonly rpcUrls: readonly string[];
    readonly contractAddress: Address;
    readonly account: LocalAccount;
  },
): RelayerChain {
  const { chainId, contractAddress, account } = options;
  const identity = identityOf(options.rpcUrls, options);
  const client = rpcClient(options.rpcUrls, { batchSize: MAX_BATCH_CALLS, identity });
  const address: Address = `0x${account.address.slice(2).toLowerCase()}`;

  return {
    address,
    head: async () => toBlock(await client.getBlock()),
    balance: () => client.getBalance({ address }),
    fees: async () => {
      const fees = await client.estimateFeesPerGas();
      return { maxFee: fees.maxFeePerGas, priorityFee: fees.maxPriorityFeePerGas };
    },
    minedNonce: (sender) => client.getTransactionCount({ address: sender, blockTag: 'latest' }),
    isRecorded: async ({ campaignId, buyer, orderKey }) => {
      const args = [BigInt(campaignId), buyer, orderKey] as const;
      const functionName = 'saleIdOf';
      const contract = { address: contractAddress, abi: referralCommerceAbi };
      return (await client.readContract({ ...contract, functionName, args })) !== 0;
    },
    estimate: async (data, maxGas) => {
      const gas = maxGas * SIMULATION_FACTOR;
      const call = { account: address, to: contractAddress, data, gas };
      try {
        // A node may estimate a call that reverts by the gas that it would need not to.
        await client.call(call);
        // Without a block, nodes take the pending one, in which the order may be recorded by what is replaced.
        const needed = await client.estimateGas({ ...call, blockTag: 'latest' });
        return needed > maxGas ? null : { gas: needed };
      } catch (error) {
        const revert = revertData(error);
        if (revert !== undefined) return { revert: revertName(referralCommerceAbi, revert) };
        if (isFailedCall(error)) return null;
        throw error;
      }
    },
    sign: async ({ data, gas, nonce, maxFee, priorityFee }) => {
      const signed = await account.signTransaction({
        ...{ type: 'eip1559', chainId, to: contractAddress, data, gas, nonce },
        maxFeePerGas: maxFee,
        maxPriorityFeePerGas: priorityFee,
      });
      return { signed, hash: keccak256(signed) };
    },
    broadcast: async (signed) => {
      await client.sendRawTransaction({ serializedTransaction: signed });
    },
    outcome: async (hash) => {
      const receipt = await nullIfNotFound(client.getTransactionReceipt({ hash }));
      if (receipt === null) return null;
      const { l1Fee } = receipt as { readonly l1Fee?: bigint | Hex | null };
      const cost = receipt.gasUsed * receipt.effectiveGasPrice + BigInt(l1Fee ?? 0);
      return { reverted: receipt.status === 'reverted', cost };
    },
    isKnown: async (hash) => (await nullIfNotFound(client.getTransaction({ hash }))) !== null,
  };
}
