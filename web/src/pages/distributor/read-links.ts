import { api, type DataOf, type Reply, type RequestOptions } from '../../api.ts';

type Campaign = DataOf<typeof api.campaigns.list>['items'][number];
type ReceiptRow = DataOf<typeof api.receipts.forCampaign>['items'][number];
type Node = DataOf<typeof api.graph.search>['items'][number];

/** A link of the account, and the campaign that it sells for. */
export interface OwnedLink {
  readonly campaign: Campaign;
  readonly node: Node;
}

export interface FoundLinks {
  readonly links: readonly OwnedLink[];
  /** Campaigns that were looked through. */
  readonly campaigns: number;
  /** Whether there are more. */
  readonly more: boolean;
}

/** Campaigns that are looked through at most: each is a request. */
const MAX_CAMPAIGNS = 100;
/** Campaigns per page, and concurrent requests. */
const PAGE = 20;
/** Links of one campaign that are shown. */
const MAX_LINKS = 100;
/** Sales of a campaign that are looked through. */
const MAX_SALES = 100;

/**
 * The links of an account in the listed campaigns. No public method lists them by account, so each
 * campaign’s graph is searched, until all that the account has are found.
 */
export async function readLinks(
  address: string,
  linkCount: number,
  options: RequestOptions,
): Promise<Reply<FoundLinks>> {
  const links: OwnedLink[] = [];
  let [searched, cursor] = [0, undefined as string | undefined];
  for (;;) {
    const input = { sort: 'newest', limit: PAGE, cursor } as const;
    const { data, meta } = await api.campaigns.list(input, options);
    const found = await Promise.all(data.items.map((one) => linksIn(one, address, options)));
    links.push(...found.flat());
    searched += data.items.length;
    cursor = data.nextCursor ?? undefined;
    const more = cursor !== undefined;
    if (!more || links.length >= linkCount || searched >= MAX_CAMPAIGNS) {
      return { data: { links, campaigns: searched, more }, meta };
    }
  }
}

async function linksIn(campaign: Campaign, address: string, options: RequestOptions) {
  const { campaignId } = campaign;
  const { data } = await api.graph.search({ campaignId, q: address, limit: MAX_LINKS }, options);
  return data.items.map((node): OwnedLink => ({ campaign, node }));
}

/** Sales through these links, among the newest of each campaign; newest first. */
export async function readSales(
  links: readonly OwnedLink[],
  options: RequestOptions,
): Promise<Reply<readonly ReceiptRow[]>> {
  const sold = links.filter(
    ({ node: { sales } }) => sales.pending + sales.finalized + sales.refunded > 0,
  );
  const nodes = new Set(links.map(({ node }) => node.nodeId));
  const campaigns = new Set(sold.map(({ campaign }) => campaign.campaignId));
  const replies = await Promise.all(
    [...campaigns].map((campaignId) =>
      api.receipts.forCampaign({ campaignId, limit: MAX_SALES }, options),
    ),
  );
  const rows = replies
    .flatMap(({ data }) => data.items)
    .filter(({ nodeId }) => nodeId !== null && nodes.has(nodeId))
    .sort((a, b) => b.recordedAt.localeCompare(a.recordedAt));
  const [first] = replies;
  return { data: rows, meta: first?.meta ?? { requestId: '' } };
}
