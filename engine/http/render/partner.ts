import type { z } from 'zod';
import type { CampaignDistributor } from '../../contract/shapes/draft.ts';
import type { PartnerDetail, PartnerList, PartnerSale } from '../../contract/shapes/partner.ts';
import { sum } from '../../core/amounts.ts';
import { discoveryRank, METHODOLOGY_VERSION } from '../../core/discovery.ts';
import type { Address } from '../../core/events.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type { DistributorTotals } from '../../db/read/distributors/totals.ts';
import type { ConversionView } from '../../db/read/earnings/conversions.ts';
import type { PartnerDay } from '../../db/read/partners/days.ts';
import type { SellingPartnerView } from '../../db/read/partners/list.ts';
import type { PartnerNode } from '../../db/read/partners/nodes.ts';
import type { PartnerView } from '../../db/read/partners/rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { soldBy } from './campaign.ts';
import { rewardBuckets } from './earnings.ts';
import { isoTime, timeOrNull } from './time.ts';
import { txRef } from './tx-ref.ts';

type Partner = z.infer<typeof PartnerList>['items'][number];

/** Pseudonym of an account for the merchant that reads; `null` if the account was named by its address. */
type Pseudonyms = (account: Address) => string | null;

/**
 * Public identity of an account. If its owner keeps the address separate from the handle, exact numbers would
 * link them, so neither is shown; `distributors.list` does the same. A pseudonym distinguishes such accounts.
 */
function identityOf({ account, profile }: PartnerView, pseudonymOf: Pseudonyms) {
  if (profile?.visibility === 'pseudonymous') {
    const pseudonym = pseudonymOf(account);
    return {
      ...{ address: null, handle: null, displayName: null, pseudonym },
      visibility: 'pseudonymous',
    } as const;
  }
  const handle = profile?.handle ?? null;
  const displayName = profile?.displayName ?? null;
  const visibility = profile === null ? 'pseudonymous' : 'public';
  return { address: account, handle, displayName, pseudonym: null, visibility } as const;
}

/**
 * Partner of a merchant.
 * @param record track record over all merchants from the ranking; `undefined` if it has none yet. It is left
 * out for a hidden account.
 */
export function partner(
  view: PartnerView,
  record: DistributorTotals | undefined,
  clock: number,
  pseudonymOf: Pseudonyms,
): Partner {
  const identity = identityOf(view, pseudonymOf);
  const known = identity.address === null ? undefined : record;
  return {
    ...identity,
    settledConversions: known?.settledConversions ?? null,
    merchantCount: known?.merchantCount ?? null,
    categories: [...(known?.categories ?? [])],
    lastSettledAt: timeOrNull(known?.lastSettledAt ?? null),
    ...rankingOf(known, clock),
    isPartner: true,
    linkCount: view.links,
    directSales: view.settled.direct,
    networkSales: view.settled.network,
    settledValue: view.settledValue.toString(),
    rewards: rewardBuckets(view.rewards),
    firstLinkAt: isoTime(view.firstLinkAt),
  };
}

function rankingOf(known: DistributorTotals | undefined, clock: number) {
  const versions = {
    rankingVersion: 'discovery-v1' as const,
    methodologyVersion: METHODOLOGY_VERSION,
  };
  if (known === undefined) return { rankSignals: [], slot: 'new' as const, ...versions };
  const { signals, slot } = discoveryRank(known, clock);
  return { rankSignals: signals.map((signal) => ({ ...signal })), slot, ...versions };
}

/** Totals of all partners that the filters match, and each of the last 30 days. */
export function partnerSummary(
  { partners, days }: { readonly partners: number; readonly days: readonly PartnerDay[] },
  clock: number,
): z.infer<typeof PartnerList>['summary'] {
  const total = (count: (day: PartnerDay) => number) =>
    days.reduce((sum, day) => sum + count(day), 0);
  return {
    partners,
    sales: {
      pending: total(({ sales }) => sales.pending),
      finalized: total(({ sales }) => sales.finalized),
      refunded: total(({ sales }) => sales.refunded),
    },
    value: sum(days.map(({ value }) => value)).toString(),
    series: seriesOf(days, clock),
  };
}

const DAY_SECONDS = 86_400;
const SERIES_DAYS = 30;

function seriesOf(days: readonly PartnerDay[], clock: number) {
  const known = new Map(days.map((one) => [one.day, one]));
  const today = Math.floor(clock / DAY_SECONDS);
  return Array.from({ length: SERIES_DAYS }, (_, i) => {
    const day = today - SERIES_DAYS + 1 + i;
    const found = known.get(day);
    return {
      at: isoTime(day * DAY_SECONDS),
      sales: found ? { ...found.sales } : { pending: 0, finalized: 0, refunded: 0 },
      value: (found?.value ?? 0n).toString(),
      rewards: (found?.rewards ?? 0n).toString(),
      links: found?.links ?? 0,
    };
  });
}

/** Nodes of a partner. */
export function partnerNodes(
  nodes: readonly PartnerNode[],
): z.infer<typeof PartnerDetail>['nodes'] {
  return nodes.map(({ nodeId, parentNodeId, childCount }) => ({
    nodeId,
    parentNodeId,
    childCount,
  }));
}

/** Sales of a partner by level, with the rewards that remain after refunds. */
export function partnerSales(
  levels: readonly ConversionView[],
): z.infer<typeof PartnerDetail>['sales'] {
  return levels.map(soldLevel);
}

/** A level of a partner in the list of its sales, with campaign and token. */
export function partnerSale(
  deployment: ServedDeployment,
  campaign: CampaignView,
  level: ConversionView,
): z.infer<typeof PartnerSale> {
  return {
    ...soldLevel(level),
    campaignId: level.campaignId,
    token: soldBy(campaign).token,
    nodeId: level.nodeId,
    saleAmount: level.saleAmount.toString(),
    recordedAt: isoTime(level.record.timestamp),
    tx: txRef(deployment, level.record),
  };
}

function soldLevel({ saleId, level, share, released, state }: ConversionView) {
  return { saleId, level, amount: (share - released).toString(), state };
}

/** Owner of links in a campaign, as the merchant sees it. */
export function campaignDistributor(
  view: SellingPartnerView,
  allowed: boolean | null,
  pseudonymOf: Pseudonyms,
): z.infer<typeof CampaignDistributor> {
  const { address, handle, pseudonym } = identityOf(view, pseudonymOf);
  return {
    address,
    handle,
    pseudonym,
    allowed,
    linkCount: view.links,
    firstJoinedAt: isoTime(view.firstLinkAt),
    directSales: view.settled.direct,
    networkSales: view.settled.network,
    recordedSales: view.sales.direct + view.sales.network,
    rewards: rewardBuckets(view.rewards),
    lastSaleAt: timeOrNull(view.lastSaleAt),
  };
}
