import { randomBytes } from 'node:crypto';
import { CompleteDraft } from '../../../contract/shapes/draft.ts';
import { keepSalt, PREPARED_MOST, savePrepared } from '../../../db/commerce/campaign-drafts.ts';
import { type DraftView, getDraft, publishedDraft } from '../../../db/read/campaign-drafts.ts';
import { type ProductToSell, productToSell } from '../../../db/read/product-to-sell.ts';
import { type ReadHead, readLedger } from '../../../db/read/snapshot.ts';
import { lowerHash } from '../../checkout/choice.ts';
import type { AppDeps } from '../../deps.ts';
import { NotFoundError, UnprocessableError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { requireOpenMerchant } from '../../own-merchant.ts';
import { type CampaignPlan, type Publisher, planCampaign } from '../../publish/plan.ts';
import { problemsOf } from '../../publish/problems.ts';
import { createSteps, fundSteps } from '../../publish/transactions.ts';
import { draftInputOf } from '../../render/draft.ts';

/**
 * `campaigns.prepareCreate`: the transactions that bring a draft onto the chain. Before its campaign
 * is in the ledger they create it; then they deposit its rewards; after that there is none left.
 */
export const prepareCreate: Handler<'campaigns.prepareCreate'> = async ({ id }, deps, caller) => {
  const { address } = caller.session;
  const found = await readDraft(deps, address, id);
  const chain = chainMeta(deps.deployment, found.head);
  const { draft, published } = found;
  if (published !== undefined) {
    const { campaignId, token, funding, funded, ...hashes } = published;
    const done = funded || funding === 0n;
    const campaign = { campaignId, termsHash: hashes.termsHash, token, funding };
    const transactions = done ? [] : await fundSteps(deps, address, campaign);
    return {
      data: { draftId: id, ...hashes, funding: funding.toString(), transactions },
      chain,
    };
  }
  const publisher = { ...deps.deployment, merchant: address, draft };
  const plan = await planOf(deps, found, publisher);
  await keepPlan(deps, address, draft, plan);
  return {
    data: {
      draftId: id,
      metadataHash: plan.metadataHash,
      termsHash: plan.termsHash,
      salt: plan.salt,
      skuHash: plan.skuHash,
      eligibilityHash: plan.eligibilityHash,
      policyHash: plan.policyHash,
      funding: plan.funding.toString(),
      transactions: await createSteps(deps, address, plan),
    },
    chain,
  };
};

interface FoundDraft {
  readonly draft: DraftView;
  readonly product: ProductToSell | undefined;
  readonly head: ReadHead;
}

/** A draft with its product, and what became of it. */
async function readDraft({ pool }: AppDeps, address: `0x${string}`, id: string) {
  return await readLedger(pool, async (snapshot) => {
    const draft = await getDraft(snapshot, address, id);
    if (draft === undefined) throw new NotFoundError(`You have no draft ${id}.`);
    const published = await publishedDraft(snapshot, address, draft);
    const merchant = await requireOpenMerchant(snapshot.sql, address);
    const { productId } = draftInputOf(draft);
    const product =
      productId === undefined
        ? undefined
        : await productToSell(snapshot.sql, merchant.id, productId);
    return { draft, published, product, head: snapshot.head };
  });
}

/** @throws {UnprocessableError} with an issue for everything that is missing or wrong. */
async function planOf(
  { pool }: AppDeps,
  { draft, product, head }: FoundDraft,
  publisher: Publisher,
): Promise<CampaignPlan> {
  const input = draftInputOf(draft);
  const issues = problemsOf(input, { product, clock: head.timestamp });
  if (issues.length > 0 || product === undefined) {
    throw new UnprocessableError(
      `The draft ${draft.id} cannot be published yet: see issues.`,
      issues,
    );
  }
  const { merchant } = publisher;
  const salt = input.salt
    ? lowerHash(input.salt)
    : await keepSalt(pool, { key: draft.key, merchant }, `0x${randomBytes(32).toString('hex')}`);
  if (salt === undefined) throw new NotFoundError(`You have no draft ${draft.id}.`);
  return planCampaign(CompleteDraft.parse(input), product, publisher, salt);
}

/** Before anybody can sign it, so that the campaign is known whenever it comes. */
async function keepPlan(
  { pool, clock }: AppDeps,
  merchant: `0x${string}`,
  { key: draftKey, id }: DraftView,
  { metadataHash, content, product }: CampaignPlan,
): Promise<void> {
  const now = new Date(clock());
  if (await savePrepared(pool, { merchant, draftKey, metadataHash, content, product, now })) return;
  throw new UnprocessableError(
    `The draft ${id} was deleted meanwhile, or was prepared in ${PREPARED_MOST} different ways, ` +
      'which is as many as there may be: make a new one.',
  );
}
