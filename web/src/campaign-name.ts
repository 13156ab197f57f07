/** Beginning of the titles that the API makes of a SKU's hash, for a product without a description. */
const SKU = 'SKU 0x';

/** Name of a campaign: the title of its product, or its number if its merchant described none. */
export function campaignName(campaign: {
  readonly campaignId: string;
  readonly product: { readonly title: string };
}): string {
  const { title } = campaign.product;
  return title.startsWith(SKU) ? `Campaign ${campaign.campaignId}` : title;
}
