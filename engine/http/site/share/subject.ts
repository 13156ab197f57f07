import { formatUnits } from 'viem';
import type { SharedPage } from '../../../contract/pages.ts';
import { countOf } from '../../../core/count-of.ts';
import { decodeReferralCode } from '../../../core/referral-code.ts';
import { getCampaign } from '../../../db/read/campaigns/get.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { getNode } from '../../../db/read/graph/nodes.ts';
import { getProduct } from '../../../db/read/products/get.ts';
import { getSale } from '../../../db/read/sales/receipt.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { soldBy } from '../../render/campaign.ts';
import { checkoutPreview } from '../../render/checkout.ts';
import { merchantRef, productOf, soldProduct } from '../../render/product.ts';
import { readChoice } from '../../resources/checkout/choice.ts';

/** Content of the share card and the tags of a page: texts of a merchant are in it as they were written. */
export interface ShareSubject {
  /** Kind of page: `Campaign 3`. */
  readonly label: string;
  readonly title: string;
  /** Most important amount: a price, a rate. */
  readonly figure: string;
  /** Sentence below it. */
  readonly detail: string;
  /** Name of the merchant. */
  readonly merchant: string;
}

/** Parameters in the address of a page. */
export type PageInput = Readonly<Record<string, string>>;

type Reader = (
  snapshot: Snapshot,
  deployment: ServedDeployment,
  input: PageInput,
) => Promise<ShareSubject | undefined>;

/** Reads what each kind of page is about; `undefined` if there is no such thing, or an operator hid it. */
export const subjectReaders: Readonly<Record<SharedPage, Reader>> = {
  async link(snapshot, deployment, { code = '' }) {
    const nodeId = decodeReferralCode(code);
    const node = nodeId === undefined ? undefined : await getNode(snapshot, { nodeId });
    if (nodeId === undefined || node === undefined) return undefined;
    const { campaign, choice } = await readChoice(snapshot, {
      campaignId: node.campaignId,
      nodeId,
    });
    if (campaign.moderation.hidden) return undefined;
    const { split, token } = checkoutPreview(deployment, snapshot.head, campaign, choice);
    const own = split.shares.find(({ level }) => level === 1)?.amount ?? '0';
    return {
      ...offerOf(campaign),
      label: 'Shared link',
      detail: `This link earns its owner ${amountOf(BigInt(own), token)}. You pay the same price.`,
    };
  },
  async campaign(snapshot, _deployment, { campaignId = '' }) {
    const campaign = await getCampaign(snapshot, campaignId);
    if (campaign === undefined || campaign.moderation.hidden) return undefined;
    const { commissionBps, maxRewardedAncestors: levels } = campaign.policy;
    const offer = offerOf(campaign);
    return {
      ...offer,
      label: `Campaign ${campaign.campaignId}`,
      figure: `${commissionBps / 100} % reward`,
      detail: `For each sale of ${offer.figure}, shared by up to ${countOf(levels, 'level')}.`,
    };
  },
  async product(snapshot, _deployment, { productId = '' }) {
    const found = await getProduct(snapshot, productId);
    if (found === undefined || found.token === null) return undefined;
    const { product, seller, token } = found;
    return {
      label: 'Product',
      title: product.title,
      figure: amountOf(product.price, token),
      detail: product.summary,
      merchant: merchantRef(seller).name,
    };
  },
  async receipt(snapshot, deployment, { chainId = '', saleId = '' }) {
    if (chainId !== String(deployment.chainId)) return undefined;
    const sale = await getSale(snapshot, saleId);
    if (sale === undefined) return undefined;
    return {
      label: `Receipt of sale ${sale.saleId}`,
      title: soldProduct(sale).title,
      figure: amountOf(sale.amount, sale.token),
      detail:
        sale.pool === 0n
          ? 'No reward was due. Anyone can verify it.'
          : `Rewards of ${amountOf(sale.pool, sale.token)}. Anyone can verify each of them.`,
      merchant: merchantRef(sale.seller).name,
    };
  },
};

/** Product, price and merchant of a campaign. */
function offerOf(campaign: CampaignView): Pick<ShareSubject, 'title' | 'figure' | 'merchant'> {
  const sold = soldBy(campaign);
  return {
    title: productOf(sold).title,
    figure: amountOf(sold.price, sold.token),
    merchant: merchantRef(campaign.seller).name,
  };
}

/** Base units as people read them: `1 234.5 TUSD`. */
function amountOf(
  value: bigint,
  { decimals, symbol }: { readonly decimals: number; readonly symbol: string },
): string {
  const [whole = '0', fraction] = formatUnits(value, decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, '\u00a0');
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${symbol}`;
}
