import { randomBytes } from 'node:crypto';
import { CompleteDraft } from '../../../contract/shapes/draft.ts';
import { keepSalt, MAX_PREPARED, savePrepared } from '../../../db/commerce/campaign-drafts.ts';
import { type DraftView, getDraft, publishedDraft } from '../../../db/read/campaigns/drafts.ts';
import { type ReadHead, readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound, unprocessable } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerHash } from '../../input/hash.ts';
import { draftInputOf } from '../../render/draft.ts';
import { requireOpenMerchant } from '../../resources/merchants/own-merchant.ts';
import { publishIssues } from '../../resources/publish/issues.ts';
import { type Publisher, type PublishPlan, planCampaign } from '../../resources/publish/plan.ts';
import { createSteps, fundSteps } from '../../resources/publish/transactions.ts';
import { examineToken } from '../../resources/tokens/examine.ts';

/**
 * `campaigns.prepareCreate`: transactions that publish a draft: first those that create the campaign and,
 * once it is in the ledger, those that deposit its rewards. Afterwards there are none.
 */
export const prepareCreate: Handler<'campaigns.prepareCreate'> = async ({ id }, deps, caller) => {
  const { merchant: address } = caller;
  const found = await readDraft(deps, address, id);
  const chain = chainMeta(deps.deployment, found.head);
  const { draft, published } = found;
  if (published !== undefined) {
    const { campaignId, token, funding, funded, ...hashes } = published;
    const done = funded || funding === 0n;
    const campaign = { campaignId, termsHash: hashes.termsHash, token, funding };
    const [transactions, warnings] = done
      ? [[], []]
      : await Promise.all([
          fundSteps(deps, address, campaign),
          examineToken(deps, { token, holder: address, amount: funding }),
        ]);
    return {
      data: { draftId: id, ...hashes, funding: funding.toString(), warnings, transactions },
      chain,
    };
  }
  const publisher = { ...deps.deployment, merchant: address, draft };
  const plan = await planOf(deps, found, publisher);
  await storePlan(deps, address, draft, plan);
  const { token, funding, price } = plan;
  const [transactions, warnings] = await Promise.all([
    createSteps(deps, address, plan),
    examineToken(deps, { token, holder: address, amount: funding || price }),
  ]);
  return {
    data: {
      draftId: id,
      metadataHash: plan.metadataHash,
      termsHash: plan.termsHash,
      salt: plan.salt,
      skuHash: plan.skuHash,
      eligibilityHash: plan.eligibilityHash,
      policyHash: plan.policyHash,
      funding: funding.toString(),
      warnings,
      transactions,
    },
    chain,
  };
};

interface FoundDraft {
  readonly draft: DraftView;
  readonly head: ReadHead;
}

/** Reads a draft with its campaign, if it was published. */
async function readDraft({ pool }: AppDeps, address: `0x${string}`, id: string) {
  return await readLedger(pool, async (snapshot) => {
    const draft = await getDraft(snapshot, address, id);
    if (draft === undefined) throw notFound(`You have no draft ${id}.`);
    const published = await publishedDraft(snapshot, address, draft);
    await requireOpenMerchant(snapshot.sql, address);
    return { draft, published, head: snapshot.head };
  });
}

/** @throws {HttpError} UNPROCESSABLE with an issue for each missing or wrong field. */
async function planOf(
  { pool }: AppDeps,
  { draft, head }: FoundDraft,
  publisher: Publisher,
): Promise<PublishPlan> {
  const input = draftInputOf(draft);
  const { product } = draft;
  const issues = publishIssues(input, { product, clock: head.timestamp });
  if (issues.length > 0 || product === null) {
    throw unprocessable(`The draft ${draft.id} cannot be published yet: see issues.`, issues);
  }
  const { merchant } = publisher;
  const salt = input.salt
    ? lowerHash(input.salt)
    : await keepSalt(pool, { key: draft.key, merchant }, `0x${randomBytes(32).toString('hex')}`);
  if (salt === undefined) throw notFound(`You have no draft ${draft.id}.`);
  return planCampaign(CompleteDraft.parse(input), product, publisher, salt);
}

/** Stores the plan before it can be signed, so that its campaign is recognized whenever it is created. */
async function storePlan(
  { pool, clock }: AppDeps,
  merchant: `0x${string}`,
  { key: draftKey, id }: DraftView,
  { metadataHash, content, product }: PublishPlan,
): Promise<void> {
  const now = new Date(clock());
  if (await savePrepared(pool, { merchant, draftKey, metadataHash, content, product, now })) return;
  throw unprocessable(
    `The draft ${id} was deleted meanwhile, or was prepared in ${MAX_PREPARED} different ways, ` +
      'which is the maximum: create a new one.',
  );
}
