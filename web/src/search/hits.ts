import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf } from '../api.ts';
import { campaignName } from '../campaign-name.ts';
import { groupDigits, shortHex } from '../format.ts';

type Result = DataOf<Client['search']['find']>['items'][number];
type Kind = keyof typeof kinds;

/** Something that a search found, and its page. */
export interface Hit {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
}

/** Hits of one kind. */
export interface HitGroup {
  /** Plural, as a heading: `Campaigns`. */
  readonly name: string;
  readonly items: readonly Hit[];
}

/** The headings, in the order in which results are shown. */
const kinds = {
  sale: 'Sales',
  campaign: 'Campaigns',
  merchant: 'Merchants',
  distributor: 'Distributors',
  buyer: 'Buyers',
  product: 'Products',
  link: 'Links',
  transaction: 'Transactions',
  block: 'Blocks',
} as const;

/** The results of a search by kind, each with the page that it leads to. */
export function groupHits(results: readonly Result[]): readonly HitGroup[] {
  const hits = results.flatMap(hitsOf);
  const groups = Object.entries(kinds).map(([kind, name]) => ({
    name,
    items: hits.filter((one) => one.kind === kind).map(({ kind: _kind, ...hit }) => hit),
  }));
  return groups.filter(({ items }) => items.length > 0);
}

type KindHit = Hit & { readonly kind: Kind };

function hitsOf(result: Result): readonly KindHit[] {
  switch (result.type) {
    case 'account':
      return accountHits(result);
    case 'campaign': {
      const { campaignId, title, merchant } = result;
      const name = campaignName({ campaignId, product: { title } });
      const href = pathOf('campaign', { campaignId });
      return [
        {
          kind: 'campaign',
          href,
          title: name,
          detail: `Campaign ${campaignId} of ${merchant.name}`,
        },
      ];
    }
    case 'product': {
      const { id, title, summary, merchant } = result;
      const href = pathOf('product', { productId: id });
      return [{ kind: 'product', href, title, detail: summary || `By ${merchant.name}` }];
    }
    case 'merchant': {
      const { slug, name } = result;
      return [{ kind: 'merchant', href: pathOf('merchant', { slug }), title: name, detail: slug }];
    }
    case 'distributor': {
      const { address, handle, displayName } = result;
      const href = pathOf('distributor', { address: handle });
      const detail = `@${handle}, ${shortHex(address)}`;
      return [{ kind: 'distributor', href, title: displayName ?? `@${handle}`, detail }];
    }
    case 'sale': {
      const { saleId, campaignId } = result;
      const detail = `In campaign ${campaignId}`;
      return [{ kind: 'sale', href: pathOf('receipt', result), title: `Sale ${saleId}`, detail }];
    }
    case 'link': {
      const { nodeId, campaignId, code, owner } = result;
      const href = `${pathOf('campaign', { campaignId })}?node=${nodeId}`;
      const detail = `Code ${code}, of ${shortHex(owner)} in campaign ${campaignId}`;
      return [{ kind: 'link', href, title: `Link ${nodeId}`, detail }];
    }
    case 'transaction': {
      const { hash, blockNumber } = result;
      const href = pathOf('transaction', { hash });
      const detail = `In block ${groupDigits(blockNumber)}`;
      return [{ kind: 'transaction', href, title: `Transaction ${shortHex(hash)}`, detail }];
    }
    case 'block': {
      const href = pathOf('block', result);
      const detail = 'Events and digest';
      return [{ kind: 'block', href, title: `Block ${groupDigits(result.number)}`, detail }];
    }
  }
}

/** A page for each role of an account. */
function accountHits({
  address,
  isMerchant,
  isDistributor,
  isBuyer,
}: Extract<Result, { type: 'account' }>): readonly KindHit[] {
  const short = shortHex(address);
  const [merchant, distributor, buyer] = [
    pathOf('merchant', { slug: address }),
    pathOf('distributor', { address }),
    pathOf('buyer', { address }),
  ];
  const hits: readonly (KindHit | false)[] = [
    isMerchant && { kind: 'merchant', href: merchant, title: short, detail: 'Its campaigns' },
    isDistributor && { kind: 'distributor', href: distributor, title: short, detail: 'Its links' },
    isBuyer && { kind: 'buyer', href: buyer, title: short, detail: 'What it bought' },
  ];
  return hits.filter((hit) => hit !== false);
}
