import type { z } from 'zod';
import type { MerchantProfile, MerchantRecord } from '../../contract/shapes/merchant.ts';
import type { MerchantDetail } from '../../db/read/merchants/get.ts';
import type { MerchantRecordView } from '../../db/read/merchants/record.ts';
import { merchantRef, publicMedia, tokenOf } from './product.ts';
import { timeOrNull } from './time.ts';

/** Public view of a merchant; without a profile, it has only data from the chain. */
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

/** Track record of a merchant. */
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
