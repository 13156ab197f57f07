import type { ChainMeta } from '../contract/envelope.ts';
import { type ReceiptView, receiptRead } from '../db/read/receipt.ts';
import type { ReadHead } from '../db/read/snapshot.ts';
import { readOneAsOf } from './as-of.ts';
import type { AppDeps } from './deps.ts';
import { NotFoundError } from './errors.ts';
import { chainMeta, requireChain } from './handler.ts';
import { newestBlockOf } from './render/receipt.ts';

/** A sale that a request names by chain and id. */
interface ReceiptInput {
  readonly chainId: number;
  readonly saleId: string;
  readonly atBlock?: string | undefined;
}

/**
 * All that the ledger has of a sale, and as of which block.
 * @throws {NotFoundError} where another chain is served, or there is no such sale at that block.
 */
export async function readReceipt(
  deps: AppDeps,
  { chainId, saleId, atBlock }: ReceiptInput,
): Promise<{ receipt: ReceiptView; head: ReadHead; chain: ChainMeta }> {
  requireChain(deps, chainId);
  const { head, value: receipt } = await readOneAsOf(deps, atBlock, receiptRead(saleId));
  if (receipt === undefined) throw new NotFoundError(`There is no sale ${saleId}.`);
  const { campaignId } = receipt.sale;
  const chain = chainMeta(deps.deployment, head, newestBlockOf(receipt), campaignId);
  return { receipt, head, chain };
}
