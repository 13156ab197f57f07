import type { Client } from '../../../../../engine/client/index.ts';
import { periodOf } from '../../../filters/period.ts';

type Query = NonNullable<Parameters<Client['receipts']['forMerchant']>[0]>;

/** Fields of the filter, by their names in the address of the page. */
export const filterFields = [
  ...(['q', 'state', 'campaign', 'from', 'to', 'min', 'max', 'order'] as const),
  ...(['buyer', 'sku', 'key'] as const),
] as const;

/**
 * Query of `receipts.forMerchant` for the fields in the page's address. Both days of a period belong to it, in UTC.
 * Values are sent as they are: the API says which one is not valid.
 */
export function queryOf(params: URLSearchParams): Query {
  const value = (name: (typeof filterFields)[number]) => params.get(name)?.trim() ?? '';
  const range = periodOf(value('from'), value('to'));
  const query = {
    q: value('q'),
    state: value('state'),
    campaignId: value('campaign'),
    paidMin: value('min'),
    paidMax: value('max'),
    order: value('order'),
    buyer: value('buyer'),
    skuHash: value('sku'),
    orderKey: value('key'),
  };
  return {
    // The API checks the values; the types of the query do not know text from an address bar.
    ...(Object.fromEntries(Object.entries(query).filter(([, text]) => text !== '')) as Query),
    ...(range && { range }),
  };
}
