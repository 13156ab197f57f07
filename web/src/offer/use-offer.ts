import { useSearchParams } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { encodeReferralCode } from '../../../engine/core/referral-code.ts';
import { api, type DataOf, useApi } from '../api.ts';

export type Preview = DataOf<typeof api.checkout.preview>;
export type Campaign = DataOf<typeof api.campaigns.get>;
export type Price = DataOf<typeof api.prices.list>['items'][number];

/** Choice of a buyer: a SKU of a campaign, through a link or without one. */
export interface Choice {
  readonly campaignId: string;
  /** Default: the campaign’s own SKU. */
  readonly skuHash?: `0x${string}` | undefined;
  readonly nodeId?: string | undefined;
}

/** Milliseconds between two reads of an offer: its price and its budget change on the chain. */
const POLL_MS = 15_000;

const SKU = /^0x[0-9a-fA-F]{64}$/;

/** The campaign of an offer, with its product. */
export const useCampaign = (campaignId: string) =>
  useApi(['campaigns.get'], api.campaigns.get, { campaignId });

/** Current prices of a campaign, one for each SKU on sale; 100 at most. */
export const usePrices = (campaignId: string) =>
  useApi(['prices.list'], api.prices.list, { campaignId, current: true, limit: 100 });

/**
 * Preview of a purchase: its price and its rewards now, or why it cannot be made.
 * @param buyer the account that would buy, whom the policy can refuse.
 */
export const usePreview = (choice: Choice, buyer?: string) =>
  useApi(
    ['checkout.preview'],
    api.checkout.preview,
    { ...definedOf(choice), ...(buyer !== undefined && { buyer: buyer as `0x${string}` }) },
    { refetchInterval: POLL_MS },
  );

/** The choice with the fields that it has. */
function definedOf({ campaignId, skuHash, nodeId }: Choice) {
  return {
    campaignId,
    ...(skuHash !== undefined && { skuHash }),
    ...(nodeId !== undefined && { nodeId }),
  };
}

/** The SKU that the page’s address names (`?sku=`), and a function that changes it. */
export function useChosenSku() {
  const [params, setParams] = useSearchParams();
  const written = params.get('sku') ?? '';
  const sku = SKU.test(written) ? (written as `0x${string}`) : undefined;
  const choose = (next: string) =>
    setParams(
      (old) => {
        const changed = new URLSearchParams(old);
        changed.set('sku', next);
        return changed;
      },
      { replace: true },
    );
  return [sku, choose] as const;
}

/** Address of the checkout of a choice; `intentId` continues a purchase that was begun. */
export function checkoutPath({ campaignId, skuHash, nodeId }: Choice, intentId?: string): string {
  const code = nodeId === undefined ? undefined : encodeReferralCode(nodeId);
  const params = new URLSearchParams({
    ...(skuHash !== undefined && { sku: skuHash }),
    ...(code !== undefined && { link: code }),
    ...(intentId !== undefined && { intent: intentId }),
  });
  const query = params.size === 0 ? '' : `?${params}`;
  return `${pathOf('checkout', { campaignId })}${query}`;
}
