import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf } from '../api.ts';
import { campaignName } from '../campaign-name.ts';
import { groupDigits, humanAmount, shortHex } from '../format.ts';

type Result = DataOf<Client['search']['find']>['items'][number];
type Kind = keyof typeof kinds;

/** Something that a search found, and its page. */
export interface Hit {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
  /** True if only a typing mistake explains it. */
  readonly isSimilar: boolean;
}

/** Hits of one kind. */
export interface HitGroup {
  /** Plural, as a heading: `Campaigns`. */
  readonly name: string;
  readonly items: readonly Hit[];
}

/** The headings, in the order in which results that match equally well are shown. */
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

/**
 * The results of a search by kind, each with the page that it leads to. The kind with the best match comes first.
 * @param results the best matches first, as the API returns them.
 */
export function groupHits(results: readonly Result[]): readonly HitGroup[] {
  const hits = results.flatMap((result) =>
    hitsOf(result).map((hit) => ({ ...hit, match: result.match })),
  );
  const groups = Object.entries(kinds).map(([kind, name]) => ({
    name,
    items: hits.filter((one) => one.kind === kind),
  }));
  return groups
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => bestMatch(a.items) - bestMatch(b.items))
    .map(({ name, items }) => ({
      name,
      items: items.map(({ kind: _kind, match, ...hit }) => ({
        ...hit,
        isSimilar: match === 'similar',
      })),
    }));
}

/** True if only typing mistakes explain the hits. */
export function hasOnlySimilar(groups: readonly HitGroup[]): boolean {
  return groups.every(({ items }) => items.every(({ isSimilar }) => isSimilar));
}

const matches = [
  'exact',
  'prefix',
  'words',
  'mentioned',
  'similar',
] as const satisfies Result['match'][];

function bestMatch(items: readonly { readonly match: Result['match'] }[]): number {
  return Math.min(...items.map(({ match }) => matches.indexOf(match)));
}

type KindHit = Omit<Hit, 'isSimilar'> & { readonly kind: Kind };

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
      const { saleId, title, amount, token } = result;
      const href = pathOf('receipt', result);
      const detail = `Sale of ${humanAmount(amount, token.decimals)} ${token.symbol}`;
      return [{ kind: 'sale', href, title: `#${saleId} · ${title}`, detail }];
    }
    case 'link': {
      const { nodeId, campaignId, code, owner, ownerName } = result;
      const href = `${pathOf('campaign', { campaignId })}?node=${nodeId}`;
      const detail = `Code ${code}, of ${ownerName ?? shortHex(owner)} in campaign ${campaignId}`;
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
  name,
  isMerchant,
  isDistributor,
  isBuyer,
}: Extract<Result, { type: 'account' }>): readonly KindHit[] {
  const short = shortHex(address);
  const title = name ?? short;
  const detailOf = (what: string) => (name === null ? what : `${short}, ${lowerFirst(what)}`);
  const [merchant, distributor, buyer] = [
    pathOf('merchant', { slug: address }),
    pathOf('distributor', { address }),
    pathOf('buyer', { address }),
  ];
  const hits: readonly (KindHit | false)[] = [
    isMerchant && { kind: 'merchant', href: merchant, title, detail: detailOf('Its campaigns') },
    isDistributor && {
      kind: 'distributor',
      href: distributor,
      title,
      detail: detailOf('Its links'),
    },
    isBuyer && { kind: 'buyer', href: buyer, title, detail: detailOf('What it bought') },
  ];
  return hits.filter((hit) => hit !== false);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
