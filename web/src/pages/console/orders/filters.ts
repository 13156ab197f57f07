import type { Client } from '../../../../../engine/client/index.ts';
import { periodOf } from '../period.ts';

type Query = NonNullable<Parameters<Client['receipts']['forMerchant']>[0]>;

/** Fields of the filter, by their names in the address of the page. */
export const filterFields = ['state', 'campaign', 'buyer', 'sku', 'order', 'from', 'to'] as const;

/**
 * Query of `receipts.forMerchant` for the fields in the page's address. Both days of a period belong to it, in UTC.
 * Values are sent as they are: the API says which one is not valid.
 */
export function queryOf(params: URLSearchParams): Query {
  const value = (name: (typeof filterFields)[number]) => params.get(name)?.trim() ?? '';
  const range = periodOf(value('from'), value('to'));
  const query = {
    state: value('state'),
    campaignId: value('campaign'),
    buyer: value('buyer'),
    skuHash: value('sku'),
    orderKey: value('order'),
  };
  return {
    // The API checks the values; the types of the query do not know text from an address bar.
    ...(Object.fromEntries(Object.entries(query).filter(([, text]) => text !== '')) as Query),
    ...(range && { range }),
  };
}
