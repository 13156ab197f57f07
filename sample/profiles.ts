import type { Address } from '../engine/core/events.ts';
import { readOwnMerchant } from '../engine/db/commerce/own-merchant.ts';
import { type Merchant, saveMerchant } from '../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../engine/db/commerce/save-product.ts';
import type { Pool } from '../engine/db/connection.ts';
import type { ProductInput } from '../engine/db/rows/commerce.ts';
import { merchantOf } from './actors.ts';
import { hashOf } from './campaign.ts';
import { products } from './products.ts';
import { SAMPLE_SEED } from './run-sample.ts';
import { skuOf } from './scenario.ts';
import { campaignScenarios } from './scenarios.ts';
import { baseUnits } from './tokens.ts';

/** Names of the merchants that have a profile, by slug. */
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
  return { merchants, products: campaignScenarios.flatMap(productOf) };
}

/** Writes the missing profiles of the sample in one transaction; edited ones stay as they are. */
export async function writeSampleProfiles(pool: Pool, seed: number = SAMPLE_SEED): Promise<void> {
  const profiles = sampleProfiles(seed);
  await pool.begin(async (sql) => {
    const [first] = profiles.merchants;
    if (first && (await readOwnMerchant(sql, first.address)) !== undefined) return;
    for (const merchant of profiles.merchants) await saveMerchant(sql, merchant);
    for (const product of profiles.products) await saveProduct(sql, product);
  });
}

function productOf(scenario: (typeof campaignScenarios)[number]): ProductInput[] {
  const text = products[skuOf(scenario)];
  if (text === undefined) return [];
  const { variants, ...rest } = text;
  const units = (price: string) => baseUnits(scenario.token, price);
  // The prices that the scenario ends with: those that the chain has at the end of the sample.
  const priced = new Map([[null as string | null, scenario.price]]);
  for (const action of scenario.actions)
    if (action.do === 'price') priced.set(action.variant, action.price);
  return [
    {
      ...rest,
      id: scenario.key,
      merchantId: scenario.merchant,
      skuHash: hashOf(skuOf(scenario)),
      // Its file is uploaded later: published without it, all earlier sales would be of a version without a file.
      ...(rest.fulfillmentMode === 'download' && { status: 'draft' as const }),
      price: units(priced.get(null) ?? scenario.price),
      variants: Object.entries(variants ?? {}).map(([id, name]) => ({
        id,
        name,
        skuHash: hashOf(skuOf(scenario, id)),
        priceBaseUnits: units(priced.get(id) ?? scenario.price).toString(),
      })),
    },
  ];
}
