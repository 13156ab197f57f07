import { createClient } from '../../../engine/client/index.ts';
import type { SampleSite } from './sample-site.ts';

type Receipts = ReturnType<typeof createClient>['receipts'];
type Receipt = Awaited<ReturnType<Receipts['get']>>['data'];
type Summary = Awaited<ReturnType<Receipts['recent']>>['data']['items'][number];

/** Receipts that are read to find one, at most; the list itself is looked through whole. */
const MAX_READ = 150;

interface Wanted {
  /** By what the list says. */
  readonly listed?: (sale: Summary) => boolean;
  /** By what the receipt says. */
  readonly whole?: (receipt: Receipt) => boolean;
}

/** The newest sale of the sample that is like that. @throws if there is none. */
export async function saleLike(
  { url }: SampleSite,
  { listed = () => true, whole = () => true }: Wanted,
): Promise<Receipt> {
  const api = createClient({ baseUrl: url });
  let read = 0;
  for await (const sale of api.pages(api.receipts.recent, { limit: 100 })) {
    if (!listed(sale)) continue;
    const { chainId, saleId } = sale;
    const { data } = await api.receipts.get({ chainId, saleId });
    if (whole(data)) return data;
    read += 1;
    if (read === MAX_READ) break;
  }
  throw new Error('the sample has no sale that is like that');
}
