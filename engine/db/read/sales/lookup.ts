import type { Address, Hex } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { isTransaction } from '../../hex.ts';
import type { AsOf } from '../one-read.ts';

/** Fields of a sale by which the backend of a merchant searches; `undefined` does not filter. Hex digits in lower case. */
export interface SaleLookup {
  readonly orderKey?: Hex | undefined;
  readonly skuHash?: Hex | undefined;
  /** The selling node, as `probeId` returns it; 0 for sales without a link. */
  readonly nodeId?: string | undefined;
  readonly buyer?: Address | undefined;
  /** A transaction that recorded the sale or changed it later. */
  readonly transactionHash?: Hex | undefined;
}

/** Conditions on a relation with the columns of the lookup; `transactionHash` needs `inTransaction`. */
export function matches(
  sql: Sql,
  sale: Fragment,
  { orderKey, skuHash, nodeId, buyer }: SaleLookup,
): Fragment {
  return sql`
    ${orderKey === undefined ? sql`` : sql`and ${sale}.order_key = ${orderKey}`}
    ${skuHash === undefined ? sql`` : sql`and ${sale}.sku_hash = ${skuHash}`}
    ${nodeId === undefined ? sql`` : sql`and ${sale}.node_id ${isNode(sql, nodeId)}`}
    ${buyer === undefined ? sql`` : sql`and ${sale}.buyer = ${buyer}`}`;
}

function isNode(sql: Sql, nodeId: string) {
  return nodeId === '0' ? sql`is null` : sql`= ${nodeId}`;
}

/** A condition on `sale`: an event of the transaction, at or below the block, is about it. */
export function inTransaction(
  sql: Sql,
  { transactionHash }: SaleLookup,
  at: Pick<AsOf, 'number'>,
): Fragment {
  if (transactionHash === undefined) return sql``;
  return sql`and (sale.campaign_id, sale.sale_id) in (
    select sent.campaign_id, sent.sale_id from ledger.journal sent
    where ${isTransaction(sql, 'sent', transactionHash)} and sent.block_number <= ${at.number}
      and sent.sale_id is not null
  )`;
}
