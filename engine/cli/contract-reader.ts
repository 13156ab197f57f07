import { erc20Abi } from 'viem';
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
    tokenBalance: (token, blockNumber) =>
      client.readContract({
        address: token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [contractAddress],
        blockNumber: BigInt(blockNumber),
      }),
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
