import { amountText } from '../../core/amount-text.ts';

/**
 * An amount of a campaign's token, for a sentence.
 * @param amount base units.
 */
export function amountOf(
  amount: bigint,
  campaign: { readonly tokenSymbol: string; readonly tokenDecimals: number },
): string {
  return amountText(amount, { symbol: campaign.tokenSymbol, decimals: campaign.tokenDecimals });
}
