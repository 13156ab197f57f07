import type { z } from 'zod';
import type { CampaignDistributor } from '../../contract/shapes/draft.ts';
import type { PartnerDetail, PartnerList } from '../../contract/shapes/partner.ts';
import { discoveryRank, METHODOLOGY_VERSION } from '../../core/discovery.ts';
import type { DistributorFigures } from '../../db/read/distributor-figures.ts';
import type { ConversionView } from '../../db/read/list-conversions.ts';
import type { SellingPartnerView } from '../../db/read/list-partners.ts';
import type { PartnerDay } from '../../db/read/partner-days.ts';
import type { PartnerNode } from '../../db/read/partner-nodes.ts';
import type { PartnerView } from '../../db/read/partner-rows.ts';
import { rewardBuckets } from './earnings.ts';
import { isoTime } from './time.ts';

type Partner = z.infer<typeof PartnerList>['items'][number];

/**
 * Who an account is to others. Where its owner keeps the address apart from the handle, exact figures
 * would tie one to the other: so they go with neither, as they do in `distributors.list`.
 */
function identityOf({ account, profile }: PartnerView) {
  if (profile?.visibility === 'pseudonymous') {
    return { address: null, handle: null, displayName: null, visibility: 'pseudonymous' } as const;
  }
  const handle = profile?.handle ?? null;
  const displayName = profile?.displayName ?? null;
  const visibility = profile === null ? 'pseudonymous' : 'public';
  return { address: account, handle, displayName, visibility } as const;
}

/**
 * A partner of a merchant.
 * @param record over all merchants, as the ranking has it; `undefined` where it knows none yet. Of a
 * hidden account it is left out.
 */
export function partner(
  view: PartnerView,
  record: DistributorFigures | undefined,
  clock: number,
): Partner {
  const identity = identityOf(view);
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

function rankingOf(known: DistributorFigures | undefined, clock: number) {
  const versions = {
    rankingVersion: 'discovery-v1' as const,
    methodologyVersion: METHODOLOGY_VERSION,
  };
  if (known === undefined) return { rankSignals: [], slot: 'new' as const, ...versions };
  const { signals, slot } = discoveryRank(known, clock);
  return { rankSignals: signals.map((signal) => ({ ...signal })), slot, ...versions };
}

/** What all partners that the filters match did, with the last 30 days, one by one. */
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
    value: days.reduce((sum, { value }) => sum + value, 0n).toString(),
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

/** The nodes of a partner. */
export function partnerNodes(
  nodes: readonly PartnerNode[],
): z.infer<typeof PartnerDetail>['nodes'] {
  return nodes.map(({ nodeId, parentNodeId, childCount }) => ({
    nodeId,
    parentNodeId,
    childCount,
  }));
}

/** The sales of a partner, by level: the reward is what refunds have left of it. */
export function partnerSales(
  levels: readonly ConversionView[],
): z.infer<typeof PartnerDetail>['sales'] {
  return levels.map(({ saleId, level, share, released, state }) => ({
    saleId,
    level,
    amount: (share - released).toString(),
    state,
  }));
}

/** Somebody with links in a campaign, for its merchant. */
export function campaignDistributor(
  view: SellingPartnerView,
  allowed: boolean | null,
): z.infer<typeof CampaignDistributor> {
  const { address, handle } = identityOf(view);
  return {
    address,
    handle,
    allowed,
    linkCount: view.links,
    firstJoinedAt: isoTime(view.firstLinkAt),
    directSales: view.sales.direct,
    networkSales: view.sales.network,
    settledSales: view.settled.direct + view.settled.network,
    rewards: rewardBuckets(view.rewards),
    lastSaleAt: timeOrNull(view.lastSaleAt),
  };
}

function timeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds);
}
