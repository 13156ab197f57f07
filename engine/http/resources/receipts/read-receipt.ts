import type { ChainMeta } from '../../../contract/envelope.ts';
import { probeId } from '../../../db/ids.ts';
import { type Found, readOne } from '../../../db/read/one-read.ts';
import {
  getSale,
  type ReceiptView,
  receiptRead,
  type SaleWithPolicy,
} from '../../../db/read/sales/receipt.ts';
import { NEEDS_WHOLE_READ, readSettledReceipt } from '../../../db/read/sales/settled-receipt.ts';
import type { ReadHead, Snapshot } from '../../../db/read/snapshot.ts';
import { readOneAsOf } from '../../as-of.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, requireChain } from '../../handler-types.ts';
import { newestBlockOf } from '../../render/receipt.ts';

/** Request for a sale by chain and id. */
interface ReceiptInput {
  readonly chainId: number;
  readonly saleId: string;
  readonly atBlock?: string | undefined;
}

/**
 * Reads a receipt and the block that it was read at.
 * @throws {HttpError} NOT_FOUND if another chain is served, or there is no such sale at that block.
 */
export async function readReceipt(
  deps: AppDeps,
  { chainId, saleId, atBlock }: ReceiptInput,
): Promise<{ receipt: ReceiptView; head: ReadHead; chain: ChainMeta }> {
  requireChain(deps, chainId);
  const { head, value: receipt } =
    atBlock === undefined
      ? await settledReceipt(deps, saleId)
      : await readOneAsOf(deps, atBlock, receiptRead(saleId));
  if (receipt === undefined) throw notFound(`There is no sale ${saleId}.`);
  const { campaignId } = receipt.sale;
  const chain = chainMeta(deps.deployment, head, newestBlockOf(receipt), campaignId);
  return { receipt, head, chain };
}

/** Reads a receipt at the settled block, mostly by the smaller of the two statements. */
async function settledReceipt(
  { pool }: Pick<AppDeps, 'pool'>,
  saleId: string,
): Promise<Found<ReceiptView | undefined>> {
  const { head, value } = await readSettledReceipt(pool, probeId(saleId));
  if (value === NEEDS_WHOLE_READ) return await readOne(pool, receiptRead(saleId));
  return { head, value };
}

/**
 * Sale of that id at the block read, with its policy.
 * @throws {HttpError} NOT_FOUND if there is none.
 */
export async function requireSale(snapshot: Snapshot, saleId: string): Promise<SaleWithPolicy> {
  const sale = await getSale(snapshot, saleId);
  if (sale === undefined) throw notFound(`There is no sale ${saleId}.`);
  return sale;
}
