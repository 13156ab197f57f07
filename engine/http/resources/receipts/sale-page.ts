import type { z } from 'zod';
import type { ChainMeta } from '../../../contract/envelope.ts';
import type { ReceiptSummary } from '../../../contract/shapes/receipt.ts';
import {
  isByAmount,
  type OrderedCursor,
  type OrderedQuery,
  type SaleOrder,
} from '../../../db/read/sales/find-sales.ts';
import type { SaleCursor, SalePage } from '../../../db/read/sales/list.ts';
import type { OwnSale, OwnSalePage } from '../../../db/read/sales/own.ts';
import type { SaleView } from '../../../db/read/sales/rows.ts';
import type { ReadHead } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { chainMeta } from '../../handler-types.ts';
import { cursorAmount, cursorId, ListPage, type PageInput } from '../../input/cursor.ts';
import { receiptSummary } from '../../render/receipt.ts';

/** Position of a sale in a list, newest first. */
export const salePosition = { saleId: cursorId, campaignId: cursorId };

/** Position of a sale in a list by price. */
const pricePosition = { ...salePosition, paid: cursorAmount };

/** The page of a list of sales that a request asks for, and the position after which it begins. */
export function saleList(
  method: 'receipts.recent' | 'receipts.forMerchant',
  input: PageInput & { readonly order?: SaleOrder | undefined },
): { readonly list: SaleList; readonly query: OrderedQuery } {
  const { order = 'newest' } = input;
  if (isByAmount(order)) {
    const list = new ListPage(method, input, pricePosition);
    return { list, query: { order, after: list.after, limit: list.limit } };
  }
  const list = new ListPage(method, input, salePosition);
  const after = list.after && { ...list.after, paid: '0' };
  return { list, query: { order, after, limit: list.limit } };
}

/** A list that can make the cursor after a sale. */
interface SaleList {
  cursor(end: OrderedCursor | null): string | null;
}

/** Response with a page of sales, as final as the newest event of any of them. */
interface SalePageResult<T> {
  readonly data: { items: T[]; nextCursor: string | null };
  readonly chain: ChainMeta;
}

/** Response with a page of sales for everyone. */
export function salePage(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next }: SalePage,
  list: SaleList,
): SalePageResult<z.infer<typeof ReceiptSummary>> {
  const data = items.map((sale) => receiptSummary(deployment, sale, head));
  return pageResult(deployment, head, { sales: items, data, next }, list);
}

/** Response with a page of sales for their buyer or merchant. */
export function ownSalePage<T>(
  deployment: ServedDeployment,
  head: ReadHead,
  { items, next }: OwnSalePage,
  list: SaleList,
  render: (deployment: ServedDeployment, own: OwnSale, head: ReadHead) => T,
): SalePageResult<T> {
  const sales = items.map(({ sale }) => sale);
  const data = items.map((own) => render(deployment, own, head));
  return pageResult(deployment, head, { sales, data, next }, list);
}

function pageResult<T>(
  deployment: ServedDeployment,
  head: ReadHead,
  page: { sales: readonly SaleView[]; data: T[]; next: SaleCursor | null },
  list: SaleList,
): SalePageResult<T> {
  const { sales, data, next } = page;
  const newest =
    sales.length === 0 ? head.number : Math.max(...sales.map((sale) => sale.newestBlock));
  const campaignIds = sales.map(({ campaignId }) => campaignId);
  return {
    data: { items: data, nextCursor: list.cursor(next && { paid: '0', ...next }) },
    chain: chainMeta(deployment, head, newest, campaignIds),
  };
}
