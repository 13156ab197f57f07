import { BaseError, erc20Abi } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import type { ChainEnv } from '../env.ts';
import type { ContractReader } from '../settlement/audit.ts';
import { rpcClient } from '../settlement/rpc-client.ts';

/** Calls that one JSON-RPC batch carries at most. */
const BATCH_SIZE = 100;

/** The contract as the audit asks it, over the deployment's RPCs. */
export function contractReader({ rpcUrls, contractAddress }: ChainEnv): ContractReader {
  const client = rpcClient(rpcUrls, { batchSize: BATCH_SIZE });
  return {
    campaignLedgers: (campaignIds, blockNumber) =>
      Promise.all(
        campaignIds.map((campaignId) =>
          client.readContract({
            address: contractAddress,
            abi: referralCommerceAbi,
            functionName: 'campaignLedger',
            args: [BigInt(campaignId)],
            blockNumber: BigInt(blockNumber),
          }),
        ),
      ),
    tokenBalance: async (token, blockNumber) => {
      try {
        return await client.readContract({
          address: token,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [contractAddress],
          blockNumber: BigInt(blockNumber),
        });
      } catch (error) {
        if (isContractFailure(error)) return null;
        throw error;
      }
    },
    blockHash: async (blockNumber) => {
      try {
        return (await client.getBlock({ blockNumber: BigInt(blockNumber) })).hash;
      } catch (error) {
        if (error instanceof Error && error.name === 'BlockNotFoundError') return null;
        throw error;
      }
    },
  };
}

/** viem's names for a contract that reverts, has no such function, or answers something else. */
const CONTRACT_FAILURE =
  /^(?:ContractFunction(?:Reverted|ZeroData)|ExecutionReverted|AbiDecoding|InvalidBytes|PositionOutOfBounds)/;

/** Whether the called contract failed, and not the RPC. */
function isContractFailure(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  return (
    error.walk(
      (cause) =>
        cause instanceof Error &&
        (CONTRACT_FAILURE.test(cause.name) || /out of gas|invalid opcode/i.test(cause.message)),
    ) !== null
  );
}
