import type { Hex } from '../../../core/events.ts';
import { afterEvents, campaignChanges, changesOf } from '../../../core/preview.ts';
import { skuPrice } from '../../../db/read/products/get.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { amountOf } from '../../render/amount-of.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { chosenSku } from '../../resources/checkout/choice.ts';
import { type OwnState, ownStateIn } from '../../resources/operations/own-state.ts';
import { type OperationPlan, preparedOperation } from '../../resources/operations/prepare.ts';
import { budgetWarning } from '../../resources/operations/warnings.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** A price of a SKU, base units. */
interface Pricing {
  readonly skuHash: Hex;
  /** `undefined` if it has no price yet. */
  readonly before: bigint | undefined;
  readonly price: bigint;
}

/** `operations.priceVariant`: sets the price of the campaign's own SKU, or of another. */
export const priceVariant: Handler<'operations.priceVariant'> = async (input, deps, caller) => {
  const { own, skuHash, before } = await readLedger(deps.pool, async (snapshot) => {
    const { merchant: address } = caller;
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, address);
    const { skuHash } = chosenSku(campaign, input);
    const [own, before] = await Promise.all([
      ownStateIn(deps, snapshot, campaign),
      skuPrice(snapshot.sql, campaign, skuHash),
    ]);
    const isOwn = skuHash === campaign.skuHash;
    return { own, skuHash, before: isOwn ? campaign.snapshot.price : before };
  });
  const plan = planOf(deps, own, { skuHash, before, price: BigInt(input.price) });
  return { data: { ...(await preparedOperation(deps, own, plan)), skuHash }, chain: own.chain };
};

function planOf(
  { deployment }: AppDeps,
  { campaign, state, clock }: OwnState,
  { skuHash, before, price }: Pricing,
): OperationPlan {
  if (before === price) return { status: 'in_effect' };
  const { campaignId } = campaign;
  const call = commerceCall(deployment, {
    functionName: 'setVariantPrice',
    args: [BigInt(campaignId), skuHash, price],
    description: `Sets the price of SKU ${skuHash} in campaign ${campaignId} to ${amountOf(price, campaign)}.`,
  });
  const after = afterEvents(state, [{ name: 'VariantPriced', args: { skuHash, price } }], clock);
  const raised = {
    code: 'PRICE_RAISED',
    message: 'A purchase that is signed already, for at most the old price, will be refused.',
  } as const;
  return {
    status: 'ready',
    steps: [['SET_PRICE', call]],
    preview: [
      ...changesOf(
        { subject: 'price', id: skuHash },
        { price: before === undefined ? null : String(before) },
        { price: String(price) },
      ),
      ...campaignChanges(state, after, clock),
    ],
    warnings: [
      budgetWarning(after, clock, undefined, price),
      ...(before !== undefined && price > before ? [raised] : []),
    ],
  };
}
