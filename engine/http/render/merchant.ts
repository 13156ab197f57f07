import type { z } from 'zod';
import type { MerchantProfile, MerchantRecord } from '../../contract/shapes/merchant.ts';
import type { MerchantDetail } from '../../db/read/get-merchant.ts';
import type { MerchantRecordView } from '../../db/read/merchant-record.ts';
import { merchantRef, publicMedia, tokenOf } from './product.ts';
import { isoTime } from './time.ts';

/** A merchant as everybody may see it; without a profile, what the chain knows. */
export function merchantProfile(merchant: MerchantDetail): z.infer<typeof MerchantProfile> {
  const { address, profile, about } = merchant;
  const { slug, name } = merchantRef(merchant);
  return {
    id: profile?.id ?? address,
    slug,
    name,
    address,
    profiled: profile !== null,
    description: about?.description ?? '',
    websiteUrl: about?.websiteUrl ?? null,
    supportEmail: about?.supportEmail ?? null,
    logo: about?.logo ? publicMedia(about.logo) : null,
    status: profile?.closed ? 'closed' : 'active',
    createdAt: about?.createdAt.toISOString() ?? null,
    campaignCount: merchant.campaignCount,
    liveCampaignCount: merchant.liveCampaignCount,
  };
}

/** Its track record. */
export function merchantRecordOf(
  merchant: MerchantDetail,
  record: MerchantRecordView,
): z.infer<typeof MerchantRecord> {
  const { pending, finalized, refunded, reversed } = record;
  return {
    address: merchant.address,
    slug: merchantRef(merchant).slug,
    since: timeOrNull(record.since),
    lastSaleAt: timeOrNull(record.lastSaleAt),
    campaigns: record.campaigns,
    sales: {
      recorded: pending + finalized + refunded,
      pending,
      settled: finalized - reversed,
      refunded,
      reversed,
    },
    disputed: record.disputed,
    finalized: {
      count: finalized,
      medianSeconds: record.medianSeconds,
      medianSecondsAfterHold: record.medianSecondsAfterHold,
    },
    tokens: record.tokens.map(({ token, settledSales, ...values }) => ({
      token: tokenOf(token),
      settledSales,
      settledValue: values.settledValue.toString(),
      refundedValue: values.refundedValue.toString(),
      pendingValue: values.pendingValue.toString(),
    })),
  };
}

function timeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds);
}
