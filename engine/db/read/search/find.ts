import type { Hex } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { hexText, startOf } from '../../hex.ts';
import {
  address,
  amount,
  byteAddress,
  byteHash,
  flag,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import { isListed } from '../campaigns/filters.ts';
import { joinProduct, merchantView, soldColumns, soldProductView } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const foundSale = rowCodec({
  saleId: id,
  campaignId: id,
  amount,
  token: {
    address: address.from('token'),
    symbol: text.from('token_symbol'),
    decimals: small.from('token_decimals'),
    name: text.from('token_name'),
  },
  skuHash: hex.from('campaign_sku_hash'),
  seller: merchantView.fields,
  product: optional(soldProductView.fields),
});

/** A sale that a search found. */
export type FoundSale = View<typeof foundSale>;

/** Columns of `foundSale`, of `sale` and `campaign` with what `joinProduct` joins. */
function foundSaleColumns(sql: Sql) {
  return sql`
    sale.sale_id, sale.campaign_id, sale.amount, campaign.token, campaign.token_symbol,
    campaign.token_decimals, campaign.token_name, campaign.sku_hash as campaign_sku_hash,
    ${soldColumns(sql)}`;
}

/** Sales of this id in listed campaigns: one, or two during a reorg. @param saleId as `ledgerId` returns it. */
export async function findSales({ sql, head }: Snapshot, saleId: string): Promise<FoundSale[]> {
  const rows = await sql<StoredRow[]>`
    select ${foundSaleColumns(sql)} from ledger.sale
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    ${joinProduct(sql)}
    where sale.sale_id = ${saleId} and sale.block_number <= ${head.number} and ${isListed(sql)}
    order by sale.block_number desc, sale.campaign_id desc limit 2`;
  return rows.map(foundSale.decode);
}

/** Sales of listed campaigns whose order key is in a range, by it, and the newest of a key first. */
export async function findSalesByOrder(
  { sql, head }: Snapshot,
  { first, last }: HexRange,
  limit: number,
): Promise<FoundSale[]> {
  const rows = await sql<StoredRow[]>`
    select ${foundSaleColumns(sql)} from (
      select * from ledger.sale where order_key between ${first} and ${last}
      order by order_key limit ${MAX_EXAMINED}
    ) sale
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    ${joinProduct(sql)}
    where sale.block_number <= ${head.number} and ${isListed(sql)}
    order by sale.order_key, sale.sale_id desc, sale.campaign_id desc limit ${limit}`;
  return rows.map(foundSale.decode);
}

const foundNode = rowCodec({
  nodeId: id,
  campaignId: id,
  owner: byteAddress,
  ownerName: nullable(text),
});

/** A link that a search found. */
export type FoundNode = View<typeof foundNode>;

/** Links of these node ids in listed campaigns. @param nodeIds as `ledgerId` returns them. */
export async function findNodes(
  { sql, head }: Snapshot,
  nodeIds: readonly string[],
): Promise<FoundNode[]> {
  const rows = await sql<StoredRow[]>`
    select node.node_id, node.campaign_id, node.owner, ${publicName(sql)} as owner_name
    from unnest(${[...nodeIds]}::bigint[]) named (id)
    join ledger.node node on node.node_id = named.id and node.block_number <= ${head.number}
    join ledger.campaign campaign on campaign.campaign_id = node.campaign_id
    left join commerce.distributor profile on profile.address = ${hexText(sql, sql`node.owner`)}
      and profile.visibility = 'public'
    where ${isListed(sql)}
    order by node.node_id, node.campaign_id desc limit ${2 * nodeIds.length}`;
  return rows.map(foundNode.decode);
}

/** Name of the public distributor `profile`. */
function publicName(sql: Sql): Fragment {
  return sql`coalesce(profile.display_name, profile.handle)`;
}

/** Hashes or addresses with the same beginning: the first and the last one that there can be. */
export interface HexRange {
  readonly first: Hex;
  readonly last: Hex;
}

/** The range of hashes or addresses that begin with a prefix. @param bytes 20 or 32. */
export function hexRange(prefix: Hex, bytes: 20 | 32): HexRange {
  const length = 2 + 2 * bytes;
  return {
    first: prefix.padEnd(length, '0') as Hex,
    last: prefix.padEnd(length, 'f') as Hex,
  };
}

/** Rows of an index that a search of a prefix examines, so that one that nearly all rows have reads no whole table. */
const MAX_EXAMINED = 50;

/**
 * A recursive table of the distinct values of a column in a range, in their order: each is one step in the column's index, however
 * many rows have it.
 */
function distinctValues(
  sql: Sql,
  name: Fragment,
  { table, column, where = sql`true` }: Record<'table' | 'column', Fragment> & { where?: Fragment },
  { first, last }: Record<'first' | 'last', Fragment>,
): Fragment {
  return sql`
    ${name} as (
      (select ${column} as value, 1 as step from ${table}
      where ${column} >= ${first} and ${column} <= ${last} and ${where}
      order by ${column} limit 1)
      union all
      select next.value, ${name}.step + 1 from ${name} cross join lateral (
        select ${column} as value from ${table}
        where ${column} > ${name}.value and ${column} <= ${last} and ${where}
        order by ${column} limit 1
      ) next
      where ${name}.step < ${MAX_EXAMINED}
    )`;
}

const foundAccount = rowCodec({
  address,
  name: nullable(text),
  isMerchant: flag,
  isDistributor: flag,
  isBuyer: flag,
});

/** An account that a search found. */
export type FoundAccount = View<typeof foundAccount>;

/** Accounts in a range with a role as of the settled block, by address. */
export async function findAccounts(
  { sql, head }: Snapshot,
  { first, last }: HexRange,
  limit: number,
): Promise<FoundAccount[]> {
  const bytes = { first: sql`${first}::bytea`, last: sql`${last}::bytea` };
  const texts = { first: sql`${first}::text`, last: sql`${last}::text` };
  const inTable = (name: Fragment, table: Fragment, column: Fragment, range: typeof bytes) =>
    distinctValues(sql, name, { table, column }, range);
  const rows = await sql<StoredRow[]>`
    with recursive
      ${inTable(sql`buyers`, sql`ledger.sale`, sql`buyer`, bytes)},
      ${inTable(sql`owners`, sql`ledger.node`, sql`owner`, bytes)},
      ${inTable(sql`sellers`, sql`ledger.campaign`, sql`(merchant collate "C")`, texts)},
      ${inTable(sql`profiles`, sql`commerce.merchant`, sql`(address collate "C")`, texts)},
      known as (
        select value as account from buyers union select value from owners
        union select ledger.bytes_of(value) from sellers
        union select ledger.bytes_of(value) from profiles
      )
    select account.address, account.is_merchant, account.is_distributor, account.is_buyer,
      coalesce(account.merchant_name, ${publicName(sql)}) as name
    from (
      select known.account, ${hexText(sql, sql`known.account`)} as address, merchant.name as merchant_name,
        merchant.address is not null or exists (
          select 1 from ledger.campaign
          where merchant = ${hexText(sql, sql`known.account`)} and created_block <= ${head.number}
        ) as is_merchant,
        exists (
          select 1 from ledger.node where owner = known.account and block_number <= ${head.number}
        ) as is_distributor,
        exists (
          select 1 from ledger.sale where buyer = known.account and block_number <= ${head.number}
        ) as is_buyer
      from known
      left join commerce.merchant on merchant.address = ${hexText(sql, sql`known.account`)}
    ) account
    left join commerce.distributor profile on profile.address = account.address
      and profile.visibility = 'public'
    where account.is_merchant or account.is_distributor or account.is_buyer
    order by account.account limit ${limit}`;
  return rows.map(foundAccount.decode);
}

const foundTransaction = rowCodec({ hash: byteHash, blockNumber: integer });

/** Transactions in a range with an event of a listed campaign, by hash. */
export async function findTransactions(
  { sql, head }: Snapshot,
  { first, last }: HexRange,
  limit: number,
): Promise<View<typeof foundTransaction>[]> {
  const [from, to] = [sql`${first}::bytea`, sql`${last}::bytea`];
  const starts = { first: startOf(sql, from), last: startOf(sql, to) };
  const column = startOf(sql, sql`transaction_hash`);
  const within = sql`transaction_hash between ${from} and ${to}`;
  const rows = await sql<StoredRow[]>`
    with recursive ${distinctValues(sql, sql`starts`, { table: sql`ledger.journal`, column, where: within }, starts)}
    select sent.hash, sent.block_number from starts cross join lateral (
      select journal.transaction_hash as hash, max(journal.block_number) as block_number
      from ledger.journal
      join ledger.campaign campaign on campaign.campaign_id = journal.campaign_id
      where ${startOf(sql, sql`journal.transaction_hash`)} = starts.value and ${within}
        and journal.block_number <= ${head.number} and ${isListed(sql)}
      group by journal.transaction_hash
    ) sent
    order by sent.hash limit ${limit}`;
  return rows.map(foundTransaction.decode);
}
