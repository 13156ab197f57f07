import type { z } from 'zod';
import type { OwnMerchant } from '../../contract/shapes/merchant.ts';
import type { OwnMerchant as OwnMerchantView } from '../../db/commerce/own-merchant.ts';
import { publicMedia } from './product.ts';

/** Profile as its merchant sees it. */
export function ownMerchant(merchant: OwnMerchantView): z.infer<typeof OwnMerchant> {
  const { id, slug, name, address, description, websiteUrl, supportEmail, logo } = merchant;
  const { createdAt, updatedAt, closedAt } = merchant;
  return {
    id,
    slug,
    name,
    address,
    profiled: true,
    description,
    websiteUrl,
    supportEmail,
    logo: logo && publicMedia(logo),
    status: closedAt === null ? 'active' : 'closed',
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
  };
}
