// Objects that several resources share.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  BlockNumber,
  CampaignId,
  CampaignState,
  Count,
  Hash32,
  Id,
  ShortPathMode,
  Timestamp,
  Uri,
  Weight,
} from '../values.ts';

/** An ERC-20 token. */
export const Token = z.strictObject({
  address: Address,
  symbol: z.string().describe('Symbol that the token reports, at most 64 bytes.'),
  decimals: z.int().min(0).max(36).describe('Base units of one token, as a power of ten.'),
  name: z.string().optional().describe('Name that the token reports; omitted if it has none.'),
});

/** An uploaded image or download of a product. */
export const MediaItem = z.strictObject({
  id: Id,
  kind: z.enum(['image', 'download']),
  size: z.int().min(0).describe('Bytes.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('64 lower-case hex digits.'),
  url: Uri.optional().describe('Omitted for downloads in public responses.'),
  width: z.int().positive().optional().describe('Pixels.'),
  height: z.int().positive().optional().describe('Pixels.'),
});

/** A transaction on the chain. */
export const TxRef = z.strictObject({
  hash: Hash32,
  blockNumber: BlockNumber,
  explorerUrl: Uri.nullable().describe('null if no block explorer is configured.'),
  at: Timestamp.optional().describe('Time of the block.'),
});

/** A version of a campaign's reward policy (docs/reference/protocol.md#policy). */
export const RewardPolicy = z.strictObject({
  rewardToken: Address,
  commissionBps: z.int().min(1).max(10_000).describe('Reward of a sale, basis points.'),
  perSaleCap: Amount.describe('Largest reward of one sale, base units.'),
  campaignLiabilityCap: Amount.describe('Largest total that the campaign may owe, base units.'),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Rewarded levels of a path.'),
  weightsBps: z.array(Weight).min(1).max(5).describe('Weight of each level, level 1 first.'),
  shortPathMode: ShortPathMode,
  holdSeconds: z.int().min(60).max(7_776_000).describe('Seconds that a reward is held.'),
  expiry: Timestamp.describe('No sale at or after it.'),
  excludesSelfReferral: z
    .boolean()
    .describe('Whether it refuses sales to the owner of a node that they reward.'),
  eligibilityHash: Hash32.describe('keccak-256 of regions and sharingRules.'),
  policyHash: Hash32.describe('keccak-256 of the policy, as registered on the chain.'),
  version: z.int().min(1),
  effectiveAt: Timestamp.describe('Time from which sales use it.'),
  regions: z.array(z.string()),
  sharingRules: z.array(z.string()),
  registrationTx: TxRef.nullable().optional().describe('Transaction that registered the version.'),
  salesCount: Count.optional().describe('Sales recorded under this version.'),
});

/** A policy as a receipt has it: the part that never changes. */
export const RegisteredPolicy = RewardPolicy.omit({ registrationTx: true, salesCount: true });

/** The next scheduled version of a policy: what later sales pay. */
export const NextPolicy = RewardPolicy.pick({
  version: true,
  effectiveAt: true,
  commissionBps: true,
  maxRewardedAncestors: true,
  holdSeconds: true,
  excludesSelfReferral: true,
});

/** A product in a list. */
export const ProductSummary = z.strictObject({
  id: Id,
  title: z.string(),
  summary: z.string(),
  media: z.array(MediaItem),
  category: z.string(),
});

/** The merchant of another object. */
export const MerchantRef = z.strictObject({
  name: z.string(),
  slug: z.string().describe('Its address if it has no profile.'),
  address: Address,
});

const missingParts = [
  ...(['title', 'outcome', 'description', 'category'] as const),
  ...(['cover', 'coverAlt', 'price', 'deliverable'] as const),
] as const;

const ProductVariant = z.strictObject({ id: Id, name: z.string(), priceBaseUnits: Amount });

const ProductUse = z.strictObject({
  campaignId: CampaignId,
  name: z.string(),
  state: CampaignState,
  productVersion: z.int().min(1),
});

/** A product with variants, media and status, as its public page shows it. */
export const Product = z.strictObject({
  id: Id,
  merchantId: Id,
  title: z.string(),
  summary: z.string(),
  outcome: z.string(),
  description: z.string(),
  category: z.string(),
  refundPolicy: z.string(),
  media: z.array(MediaItem),
  priceBaseUnits: Amount,
  token: Token,
  fulfillmentMode: z.enum(['download', 'external', 'manual']),
  deliverable: z.string().min(1).max(2048).optional().describe('Never in public responses.'),
  version: z.int().min(1),
  skuHash: Hash32,
  variants: z.array(ProductVariant),
  billingPeriod: z.enum(['monthly', 'yearly']).nullable(),
  status: z.enum(['draft', 'ready', 'archived']).optional(),
  missing: z.array(z.enum(missingParts)).optional(),
  coverUrl: Uri.nullable().optional(),
  coverAlt: z.string().nullable().optional(),
  accessTiming: z
    .enum(['afterPurchase', 'afterHold'])
    .describe('Whether access begins with the sale or when its hold is over.'),
  liveCampaignCount: Count.optional(),
  usedBy: z.array(ProductUse).optional(),
  updatedAt: Timestamp.optional(),
});

/** The fields of a product that a sale shows. */
export const ProductHead = Product.pick({ id: true, title: true, summary: true, category: true });

nameSchemas({
  Token,
  MediaItem,
  TxRef,
  RewardPolicy,
  RegisteredPolicy,
  NextPolicy,
  ProductSummary,
  MerchantRef,
  ProductVariant,
  ProductUse,
  Product,
  ProductHead,
});

export type Token = z.infer<typeof Token>;
export type MediaItem = z.infer<typeof MediaItem>;
export type TxRef = z.infer<typeof TxRef>;
export type RewardPolicy = z.infer<typeof RewardPolicy>;
export type NextPolicy = z.infer<typeof NextPolicy>;
export type MerchantRef = z.infer<typeof MerchantRef>;
export type Product = z.infer<typeof Product>;
