import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { startOf } from '../../hex.ts';
import type { AsOf } from '../one-read.ts';
import type { HexRange } from '../search/find.ts';
import type { SearchText } from '../search/text.ts';

/** Name by which a merchant looks for sales: a number, the beginning of a hash or address, or words of a product. */
export type SaleName =
  | { readonly saleId: string }
  | { readonly hashes: HexRange; readonly addresses: HexRange | undefined }
  | { readonly words: SearchText };

/** A condition on a `sale` of the merchant: it has the number, or its buyer, order or one of its transactions begins so. */
export function isNamed(
  sql: Sql,
  at: Pick<AsOf, 'number'>,
  merchant: Address,
  name: SaleName,
): Fragment {
  if ('saleId' in name) return sql`and sale.sale_id = ${name.saleId}`;
  if ('words' in name) return sql``;
  const { hashes, addresses } = name;
  const own = sql`in (select campaign_id from ledger.campaign where merchant = ${merchant})`;
  const [first, last] = [sql`${hashes.first}::bytea`, sql`${hashes.last}::bytea`];
  const ofBuyer =
    addresses &&
    sql`
    union all
    select bought.campaign_id, bought.sale_id from ledger.sale bought
    where bought.buyer between ${addresses.first} and ${addresses.last}
      and bought.campaign_id ${own}`;
  return sql`and (sale.campaign_id, sale.sale_id) in (
    select sent.campaign_id, sent.sale_id from ledger.journal sent
    where ${startOf(sql, sql`sent.transaction_hash`)} between ${startOf(sql, first)} and ${startOf(sql, last)}
      and sent.transaction_hash between ${first} and ${last} and sent.block_number <= ${at.number}
      and sent.sale_id is not null and sent.campaign_id ${own}
    union all
    select ordered.campaign_id, ordered.sale_id from ledger.sale ordered
    where ordered.order_key between ${first} and ${last} and ordered.campaign_id ${own}
    ${ofBuyer ?? sql``}
  )`;
}

/** A condition on a `campaign` of the merchant: its product has the words, or a name that is like the text. */
export function sellsNamed(sql: Sql, merchant: Address, { text, words }: SearchText): Fragment {
  return sql`and campaign.sku_hash in (
    select product.sku_hash from commerce.merchant seller
    join commerce.product product on product.merchant_id = seller.id
    where seller.address = ${merchant} and (
      to_tsvector('simple', commerce.search_text(product.title || ' ' || product.summary || ' ' || product.outcome || ' ' || product.description))
        @@ to_tsquery('simple', ${words})
      or commerce.search_text(product.title) operator(%>) ${text}
    )
  )`;
}
