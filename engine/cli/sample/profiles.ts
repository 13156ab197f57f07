import type { Address } from '../../core/events.ts';
import { readOwnMerchant } from '../../db/commerce/own-merchant.ts';
import { type Merchant, saveMerchant } from '../../db/commerce/save-merchant.ts';
import { type ProductInput, saveProduct } from '../../db/commerce/save-product.ts';
import type { Pool } from '../../db/connection.ts';
import { hashOf } from './campaign.ts';
import { campaignScripts } from './campaigns.ts';
import { merchantOf } from './cast.ts';
import { SAMPLE_SEED } from './play-sample.ts';
import { products } from './products.ts';
import { skuOf } from './script.ts';
import { baseUnits } from './tokens.ts';

/** What merchants of the sample typed; whoever is not here never made a profile. */
const merchantNames = {
  'harbor-roasters': 'Harbor Roasters',
  'northlight-studio': 'Northlight Studio',
  'fjord-outfitters': 'Fjord Outfitters',
  'meridian-press': 'Meridian Press',
} as const;

export interface SampleProfiles {
  readonly merchants: readonly Merchant[];
  readonly products: readonly ProductInput[];
}

/**
 * The profiles of the sample's merchants and what they sell. A product links to its campaign by
 * its merchant's address and its SKU hash. `driftwood` has no profile, and `field-notes` of
 * Meridian Press no product, so that those cases show, too.
 */
export function sampleProfiles(seed: number = SAMPLE_SEED): SampleProfiles {
  const merchants = Object.entries(merchantNames).map(([slug, name]) => {
    // viem's addresses are the same text with a checksum in their case.
    const address: Address = `0x${merchantOf(seed, slug).address.slice(2).toLowerCase()}`;
    return { id: slug, slug, name, address };
  });
  return { merchants, products: campaignScripts.flatMap(productOf) };
}

/**
 * Writes the sample's profiles in one transaction, where they are not there: what somebody changed
 * since stays.
 */
export async function writeSampleProfiles(pool: Pool, seed: number = SAMPLE_SEED): Promise<void> {
  const profiles = sampleProfiles(seed);
  await pool.begin(async (sql) => {
    const [first] = profiles.merchants;
    if (first && (await readOwnMerchant(sql, first.address)) !== undefined) return;
    for (const merchant of profiles.merchants) await saveMerchant(sql, merchant);
    for (const product of profiles.products) await saveProduct(sql, product);
  });
}

function productOf(script: (typeof campaignScripts)[number]): ProductInput[] {
  const text = products[skuOf(script)];
  if (text === undefined) return [];
  const { variants, ...rest } = text;
  const units = (price: string) => baseUnits(script.token, price);
  // The prices that the script ends with: those that the chain has at the end of the sample.
  const priced = new Map([[null as string | null, script.price]]);
  for (const turn of script.turns) if (turn.do === 'price') priced.set(turn.variant, turn.price);
  return [
    {
      ...rest,
      id: script.key,
      merchantId: script.merchant,
      skuHash: hashOf(skuOf(script)),
      price: units(priced.get(null) ?? script.price),
      variants: Object.entries(variants ?? {}).map(([id, name]) => ({
        id,
        name,
        skuHash: hashOf(skuOf(script, id)),
        priceBaseUnits: units(priced.get(id) ?? script.price).toString(),
      })),
    },
  ];
}
