import type { z } from 'zod';
import type {
  Distributor,
  OwnProfile,
  Profile,
  TrackRecord,
} from '../../contract/shapes/distributor.ts';
import { discoveryRank, METHODOLOGY_VERSION } from '../../core/discovery.ts';
import type {
  DistributorProfile,
  OwnDistributorProfile,
} from '../../db/read/distributors/profile.ts';
import type { DistributorTotals, TrackRecordTotals } from '../../db/read/distributors/totals.ts';
import { tokenOf } from './product.ts';
import { isoTime, timeOrNull } from './time.ts';

/** Distributor as the list shows it. Pass its profile only if it is public. */
export function distributor(
  totals: DistributorTotals,
  profile: Pick<DistributorProfile, 'handle' | 'displayName'> | null,
  clock: number,
): z.infer<typeof Distributor> {
  return {
    address: totals.address,
    handle: profile?.handle ?? null,
    displayName: profile?.displayName ?? null,
    visibility: profile === null ? 'pseudonymous' : 'public',
    settledConversions: totals.settledConversions,
    directSales: totals.directSales,
    networkSales: totals.settledConversions - totals.directSales,
    merchantCount: totals.merchantCount,
    categories: [...totals.categories],
    lastSettledAt: timeOrNull(totals.lastSettledAt),
    linkCount: totals.linkCount,
    firstLinkAt: isoTime(totals.firstLinkAt),
    ...rankingOf(totals, clock),
  };
}

/** Track record of an account that never joined. */
const nothing = {
  settledConversions: 0,
  directSales: 0,
  refundedSales: 0,
  reversedSales: 0,
  pendingSales: 0,
  merchantCount: 0,
  categories: [],
  lastSettledAt: null,
  linkCount: 0,
  settledValues: [],
} as const;

export function trackRecord(
  totals: TrackRecordTotals | undefined,
  clock: number,
): z.infer<typeof TrackRecord> {
  const known = totals ?? nothing;
  return {
    settledConversions: known.settledConversions,
    directSales: known.directSales,
    networkSales: known.settledConversions - known.directSales,
    refundedSales: known.refundedSales,
    reversedSales: known.reversedSales,
    pendingSales: known.pendingSales,
    merchantCount: known.merchantCount,
    categories: [...known.categories],
    settledValues: known.settledValues.map(({ token, sales, value }) => ({
      token: tokenOf(token),
      sales,
      value: value.toString(),
    })),
    lastSettledAt: timeOrNull(known.lastSettledAt),
    linkCount: known.linkCount,
    firstLinkAt: totals ? isoTime(totals.firstLinkAt) : null,
    ...rankingOf(known, clock),
  };
}

/** Profile as its owner sees it, with the fields that are public under its handle. */
export function ownProfileOf(
  profile: OwnDistributorProfile,
  totals: TrackRecordTotals | undefined,
  clock: number,
): z.infer<typeof OwnProfile> {
  const { address, handle, displayName, visibility, updatedAt } = profile;
  const record = trackRecord(totals, clock);
  return {
    address,
    handle,
    displayName,
    visibility,
    record,
    standing: recordRanges(record),
    sharedFields: sharedFields(profile),
    updatedAt: updatedAt?.toISOString() ?? null,
  };
}

function sharedFields({ handle, displayName, visibility }: OwnDistributorProfile) {
  const shared: z.infer<typeof OwnProfile>['sharedFields'] = [];
  // A profile without a handle cannot be looked up by handle.
  if (handle === null) return shared;
  shared.push('handle');
  if (displayName !== null) shared.push('displayName');
  if (visibility === 'public') shared.push('address', 'record');
  return shared;
}

/** Bands of a track record, which do not identify its owner. */
export function recordRanges(
  record: Pick<z.infer<typeof TrackRecord>, 'settledConversions' | 'merchantCount'>,
): z.infer<typeof Profile>['standing'] {
  return {
    settledConversionsAtLeast: bandOf(record.settledConversions),
    merchantsAtLeast: bandOf(record.merchantCount),
  };
}

const bands = [10_000, 1_000, 100, 10, 1, 0] as const;

function bandOf(count: number): (typeof bands)[number] {
  return bands.find((band) => count >= band) ?? 0;
}

function rankingOf(totals: Parameters<typeof discoveryRank>[0], clock: number) {
  const { slot, signals } = discoveryRank(totals, clock);
  return {
    rankSignals: signals.map((signal) => ({ ...signal })),
    slot,
    rankingVersion: 'discovery-v1' as const,
    methodologyVersion: METHODOLOGY_VERSION,
  };
}
