import { encodeFunctionData, erc20Abi, getAbiItem, size, slice } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import type { CampaignLedger } from '../core/campaign.ts';
import type { Address, Hex } from '../core/events.ts';
import { blockAt } from './blocks.ts';
import { MAX_BATCH_CALLS, rpcClient } from './client.ts';
import { isContractFailure } from './errors.ts';
import { type IdentifiedBy, identityOf } from './identity.ts';

/** An account that a campaign allowed to attest. */
export interface Attester {
  readonly campaignId: string;
  readonly account: Address;
}

/** Limits of an attester, base units and Unix seconds, and the sum of its sales on the day of the block. */
export interface AttesterLimits {
  readonly perOrder: bigint;
  readonly daily: bigint;
  readonly expiry: bigint;
  readonly attestedToday: bigint;
}

/** Reads the contract's own state, which the audit compares with the ledger. */
export interface ContractReader {
  /** `campaignLedger` of each campaign at a block, in the order asked. */
  campaignLedgers(
    campaignIds: readonly string[],
    blockNumber: number,
  ): Promise<readonly CampaignLedger[]>;
  /** `obligationsOf` each token at a block, base units, in the order asked. */
  obligations(tokens: readonly Address[], blockNumber: number): Promise<readonly bigint[]>;
  /** `attesterLimits` of each attester at a block, in the order asked. */
  attesterLimits(
    attesters: readonly Attester[],
    blockNumber: number,
  ): Promise<readonly AttesterLimits[]>;
  /**
   * Base units of a token that the contract holds at a block; `null` if the token fails. A token is
   * a stranger's contract, and must not stop the audit of the others.
   * @throws if the RPC does not answer.
   */
  tokenBalance(token: Address, blockNumber: number): Promise<bigint | null>;
  /** Hash of the canonical block at a height; `null` above the head. */
  blockHash(blockNumber: number): Promise<Hex | null>;
}

const campaignLedgerAbi = [
  getAbiItem({ abi: referralCommerceAbi, name: 'campaignLedger' }),
] as const;
const obligationsAbi = [getAbiItem({ abi: referralCommerceAbi, name: 'obligationsOf' })] as const;
const attesterLimitsAbi = [
  getAbiItem({ abi: referralCommerceAbi, name: 'attesterLimits' }),
] as const;

/**
 * Bytes of the contract calls that one `eth_call` makes together: some 400 campaigns. Each is 36 bytes and reads
 * a dozen slots, so that the gas stays far below what RPCs allow.
 */
const MAX_CALLDATA_BYTES = 16_384;

/** Gas of one `balanceOf`, 100 times what it takes: a node that gives up on an endless one has no answer for us. */
const BALANCE_GAS = 5_000_000n;

/** A reader of the contract over the deployment's RPCs. */
export function contractReader({
  rpcUrls,
  contractAddress,
  ...chain
}: IdentifiedBy & {
  readonly rpcUrls: readonly string[];
  readonly contractAddress: Address;
}): ContractReader {
  const identity = identityOf(rpcUrls, chain);
  const client = rpcClient(rpcUrls, { batchSize: MAX_BATCH_CALLS, identity });
  const together = (blockNumber: number) =>
    ({
      allowFailure: false,
      // By code that the call brings along: not every chain has a Multicall contract.
      deployless: true,
      batchSize: MAX_CALLDATA_BYTES,
      blockNumber: BigInt(blockNumber),
    }) as const;
  return {
    campaignLedgers: (campaignIds, blockNumber) =>
      client.multicall({
        contracts: campaignIds.map((campaignId) => ({
          address: contractAddress,
          abi: campaignLedgerAbi,
          functionName: 'campaignLedger' as const,
          args: [BigInt(campaignId)] as const,
        })),
        ...together(blockNumber),
      }),
    obligations: (tokens, blockNumber) =>
      client.multicall({
        contracts: tokens.map((token) => ({
          address: contractAddress,
          abi: obligationsAbi,
          functionName: 'obligationsOf' as const,
          args: [token] as const,
        })),
        ...together(blockNumber),
      }),
    attesterLimits: (attesters, blockNumber) =>
      client.multicall({
        contracts: attesters.map(({ campaignId, account }) => ({
          address: contractAddress,
          abi: attesterLimitsAbi,
          functionName: 'attesterLimits' as const,
          args: [BigInt(campaignId), account] as const,
        })),
        ...together(blockNumber),
      }),
    tokenBalance: async (token, blockNumber) => {
      try {
        const { data = '0x' } = await client.call({
          to: token,
          data: encodeFunctionData({
            abi: erc20Abi,
            functionName: 'balanceOf',
            args: [contractAddress],
          }),
          gas: BALANCE_GAS,
          blockNumber: BigInt(blockNumber),
        });
        return size(data) < 32 ? null : BigInt(slice(data, 0, 32));
      } catch (error) {
        if (isContractFailure(error)) return null;
        throw error;
      }
    },
    blockHash: async (blockNumber) => (await blockAt(client, blockNumber))?.hash ?? null,
  };
}
