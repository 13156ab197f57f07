import { referralCommerceAbi } from '../../../abis/index.ts';
import { type Ledger, ledgerOf } from './ledger.ts';
import type { Reading } from './reading.ts';

/** The contract's own `sale(saleId)`. */
export type SaleView = Awaited<ReturnType<typeof readSale>>;

/** The sale as the contract keeps it at the head. */
export function readSale({ client, contractAddress, saleId, head }: Reading) {
  return client.readContract({
    address: contractAddress,
    abi: referralCommerceAbi,
    functionName: 'sale',
    args: [BigInt(saleId)],
    blockNumber: head.number,
  });
}

/** A campaign's ledgers as of the end of a block. */
export async function readLedger(
  { client, contractAddress }: Reading,
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
