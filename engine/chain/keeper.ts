import { type Account, createPublicClient, createWalletClient } from 'viem';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Address, Hex } from '../core/events.ts';
import { MAX_BATCH_CALLS, rpcTransport } from './client.ts';
import { isRevert } from './errors.ts';
import { type IdentifiedBy, identityOf } from './identity.ts';

/** A sale on the chain, and the campaign that it is known to belong to. */
export interface SaleOfCampaign {
  readonly saleId: string;
  readonly campaignId: string;
}

/** The chain as the keeper asks it, and the one transaction that it signs. */
export interface KeeperChain {
  readonly address: Address;
  /** Number of the keeper's transactions that were sent and are in no block yet. */
  inFlight(): Promise<number>;
  /** Sales that the contract, at the newest block, still has as pending and of that campaign. */
  stillPending<Sale extends SaleOfCampaign>(sales: readonly Sale[]): Promise<readonly Sale[]>;
  /** Gas units of finalizing the sales in one transaction; `null` if it would revert. */
  gasOf(saleIds: readonly string[]): Promise<bigint | null>;
  /** Highest price of a unit of gas at present, wei. */
  feePerGas(): Promise<bigint>;
  /**
   * Signs and sends the transaction that finalizes the sales.
   * @returns its hash. It takes the nonce after the last mined one: of two, only one is mined.
   */
  finalize(saleIds: readonly string[], gas: bigint, feePerGas: bigint): Promise<Hex>;
}

/** `SaleStatus.PENDING` of the contract. */
const PENDING = 0;

/** The keeper's chain over the deployment's RPCs. */
export function keeperChain(
  options: IdentifiedBy & {
    readonly rpcUrls: readonly string[];
    readonly contractAddress: Address;
    readonly account: Account;
  },
): KeeperChain {
  const { contractAddress, account } = options;
  const identity = identityOf(options.rpcUrls, options);
  const transport = rpcTransport(options.rpcUrls, { batchSize: MAX_BATCH_CALLS, identity });
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
          // A sale that a reorg has removed must not hold up the others.
          return await nullIfReverted(
            client.readContract({ ...contract, functionName: 'sale', args }),
          );
        }),
      );
      return sales.filter(({ campaignId }, at) => {
        const sale = found[at];
        return sale?.status === PENDING && String(sale.campaignId) === campaignId;
      });
    },
    gasOf: (saleIds) => nullIfReverted(client.estimateContractGas({ ...call(saleIds), account })),
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

async function nullIfReverted<T>(request: Promise<T>): Promise<T | null> {
  return await request.catch((error: unknown) => {
    if (isRevert(error)) return null;
    throw error;
  });
}
