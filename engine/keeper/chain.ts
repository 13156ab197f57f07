import {
  type Account,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  fallback,
  http,
} from 'viem';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Address, Hex } from '../core/events.ts';
import type { DueSale } from '../db/read/due-sales.ts';

/** The chain as the keeper asks it, and the one thing it signs. */
export interface KeeperChain {
  readonly address: Address;
  /** Transactions of the keeper that were sent and are in no block yet. */
  inFlight(): Promise<number>;
  /** Those that the contract, at the newest block, still has as pending and of that campaign. */
  stillPending(sales: readonly DueSale[]): Promise<readonly DueSale[]>;
  /** Gas units of finalizing them in one transaction; `null` where it would revert. */
  gasOf(saleIds: readonly string[]): Promise<bigint | null>;
  /** What a unit of gas costs at most just now, wei. */
  feePerGas(): Promise<bigint>;
  /** Signs and sends it, in the place after the last one mined: two at once never both land. */
  finalize(saleIds: readonly string[], gas: bigint, feePerGas: bigint): Promise<Hex>;
}

/** `SaleStatus.PENDING` of the contract (design §3: ordinals in the order named). */
const PENDING = 0;

/** Calls that one JSON-RPC batch carries at most. */
const BATCH_SIZE = 100;

/** The keeper's chain over the deployment's RPCs. */
export function keeperChain(options: {
  readonly rpcUrls: readonly string[];
  readonly contractAddress: Address;
  readonly account: Account;
}): KeeperChain {
  const { contractAddress, account } = options;
  const transport = fallback(
    options.rpcUrls.map((url) => http(url, { batch: { batchSize: BATCH_SIZE } })),
  );
  const client = createPublicClient({ transport, cacheTime: 0 });
  const wallet = createWalletClient({ account, transport });
  const contract = { address: contractAddress, abi: referralCommerceAbi } as const;
  const call = (saleIds: readonly string[]) =>
    ({ ...contract, functionName: 'finalize', args: [saleIds.map(BigInt)] }) as const;
  const nonceAt = (blockTag: 'latest' | 'pending') =>
    client.getTransactionCount({ address: account.address, blockTag });

  return {
    address: account.address,
    inFlight: async () => {
      const [sent, mined] = await Promise.all([nonceAt('pending'), nonceAt('latest')]);
      return Math.max(0, sent - mined);
    },
    stillPending: async (sales) => {
      const found = await Promise.all(
        sales.map(async ({ saleId }) => {
          const args = [BigInt(saleId)] as const;
          // A reorg may have taken the sale: that must not hold up the others.
          const read = client.readContract({ ...contract, functionName: 'sale', args });
          return await read.catch((error: unknown) => {
            if (isRevert(error)) return undefined;
            throw error;
          });
        }),
      );
      return sales.filter(({ campaignId }, at) => {
        const sale = found[at];
        return sale?.status === PENDING && String(sale.campaignId) === campaignId;
      });
    },
    gasOf: async (saleIds) => {
      try {
        return await client.estimateContractGas({ ...call(saleIds), account });
      } catch (error) {
        if (isRevert(error)) return null;
        throw error;
      }
    },
    feePerGas: async () => (await client.estimateFeesPerGas()).maxFeePerGas,
    finalize: async (saleIds, gas, feePerGas) =>
      await wallet.writeContract({
        ...call(saleIds),
        chain: null,
        gas,
        maxFeePerGas: feePerGas,
        nonce: await nonceAt('latest'),
      }),
  };
}

function isRevert(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  return error.walk((cause) => cause instanceof ContractFunctionRevertedError) !== null;
}
