import { referralCommerceAbi } from '../../../abis/index.ts';
import { type Ledger, ledgerOf } from './ledger.ts';
import type { ReadContext } from './reading.ts';

/** Result of the contract's `sale(saleId)`. */
export type ContractSale = Awaited<ReturnType<typeof readSale>>;

/** Reads the sale as the contract stores it at the head. */
export function readSale({ client, contractAddress, saleId, head }: ReadContext) {
  return client.readContract({
    address: contractAddress,
    abi: referralCommerceAbi,
    functionName: 'sale',
    args: [BigInt(saleId)],
    blockNumber: head.number,
  });
}

/** Reads a campaign's ledgers as of the end of a block. */
export async function readLedger(
  { client, contractAddress }: ReadContext,
  campaignId: string,
  blockNumber: bigint,
): Promise<Ledger> {
  const view = await client.readContract({
    address: contractAddress,
    abi: referralCommerceAbi,
    functionName: 'campaignLedger',
    args: [BigInt(campaignId)],
    blockNumber,
  });
  return ledgerOf(view);
}
