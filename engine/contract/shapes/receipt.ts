/** Receipts: a sale, its policy, its path, its split, and what became of it (design §6). */
import { z } from 'zod';
import {
  Address,
  Amount,
  BlockNumber,
  CampaignId,
  ChainId,
  Count,
  Finality,
  Hash32,
  NodeId,
  RewardState,
  SaleId,
  SaleState,
  Timestamp,
  TrustMode,
} from '../values.ts';
import { MerchantRef, Product, RewardPolicy, Token, TxRef } from './common.ts';

const place = {
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0).describe('Index of the log in its block.'),
};

const EventPlace = z.strictObject(place);

const PathNode = z.strictObject({
  nodeId: NodeId,
  parentNodeId: NodeId.nullable().describe('null for a root.'),
  owner: Address.describe('Receives the rewards of the node.'),
});

const Split = z.strictObject({
  gross: Amount.describe('floor(amount × commissionBps / 10000), before any cap; base units.'),
  pool: Amount.describe('After the caps, base units.'),
  reserved: Amount.describe('Sum of the shares, base units.'),
  returned: Amount.describe('pool − reserved: stays in the vault, base units.'),
  liabilityBefore: Amount.describe('What the campaign owed or had paid just before, base units.'),
  availableBefore: Amount.describe('What the vault had free just before, base units.'),
  shares: z.array(
    z.strictObject({
      level: z.int().min(1).describe('1 is the selling node.'),
      nodeId: z.string(),
      recipient: Address,
      amount: Amount,
    }),
  ),
});

const LevelStanding = z.strictObject({
  level: z.int().min(1),
  nodeId: z.string(),
  recipient: Address,
  state: RewardState,
  share: Amount.describe('What the sale gave the level, base units.'),
  reserved: Amount.describe('Still held, base units.'),
  released: Amount.describe('Given back by refunds, base units.'),
  vested: Amount.describe('Vested by finalization, what was reversed included; base units.'),
  reversed: Amount.describe('Taken back, base units.'),
});

export const MissedReward = z.strictObject({
  level: z.int().min(1),
  nodeId: z.string(),
  recipient: Address,
  reason: z
    .enum(['SALE_CAP', 'LIABILITY_CAP', 'BUDGET', 'DEPTH'])
    .describe('Which cap took it; DEPTH: the nearest ancestor beyond the rewarded levels.'),
  amount: Amount.nullable().describe('What that cap alone cost, base units; null for DEPTH.'),
});

const Discrepancy = z.strictObject({
  kind: z.string(),
  level: z.int().min(1).nullable(),
  account: Address.nullable(),
  expected: z.string().describe('What settlement computed.'),
  actual: z.string().describe('What the chain said.'),
});

const ReceiptProduct = Product.pick({ id: true, title: true, summary: true, category: true });

const receiptHead = {
  chainId: ChainId,
  contractAddress: Address,
  saleId: SaleId,
  campaignId: CampaignId,
  buyer: Address,
  nodeId: NodeId.nullable().describe('The selling node; null for a direct sale.'),
  amount: Amount.describe('What the contract received, base units.'),
  token: Token,
  product: ReceiptProduct.extend({ skuHash: Hash32.describe('The SKU that was sold.') }),
  merchant: MerchantRef,
  trustMode: TrustMode,
  state: SaleState,
  refundedTotal: Amount.describe('Given back to the buyer so far, base units.'),
  holdUntil: Timestamp.describe('From when it can be finalized.'),
  recordedAt: Timestamp.describe('Time of the sale’s block.'),
  finalizedAt: Timestamp.nullable(),
  tx: TxRef,
  finality: Finality,
};

/** A sale in a list. */
export const ReceiptSummary = z.strictObject({
  ...receiptHead,
  pool: Amount.describe('Reward of all levels after the caps, base units.'),
});

export const Receipt = z.strictObject({
  ...receiptHead,
  termsHash: Hash32.describe(
    'Names the campaign in transactions, because a reorg can give its id to another campaign.',
  ),
  skuHash: Hash32,
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  record: EventPlace.describe('Where its SaleRecorded stands.'),
  policy: RewardPolicy.omit({ registrationTx: true, salesCount: true }),
  path: z.array(PathNode).describe('Nodes of the rewarded levels, the selling node first.'),
  split: Split,
  levels: z.array(LevelStanding).describe('What became of each share.'),
  missed: z.array(MissedReward).describe('What a level did not get, and why.'),
  hold: z.strictObject({
    holdSeconds: z.int(),
    holdUntil: Timestamp,
    over: z.boolean().describe('At the time of the block read.'),
  }),
  attestation: z
    .strictObject({ signer: Address, nonce: z.string() })
    .nullable()
    .describe('Who attested a sale that was paid elsewhere; null for a native sale.'),
  transitions: z
    .array(EventPlace.extend({ name: z.string(), args: z.record(z.string(), z.unknown()) }))
    .describe('All its events, oldest first; args as decoded, amounts in base units.'),
  discrepancies: z.array(Discrepancy).describe('Empty where all is well.'),
});

export const ReceiptEvent = z.strictObject({
  ...place,
  name: z
    .string()
    .describe(
      'SaleAttested, SaleRecorded, RewardReleased, SaleRefunded, RewardVested, SaleFinalized, RewardReversed or SaleReversed.',
    ),
  args: z.record(z.string(), z.unknown()).describe('As decoded; amounts in base units.'),
  sequence: Count.describe('Its place among its campaign’s events, from 1.'),
  at: Timestamp,
  tx: TxRef,
  finality: Finality,
});
