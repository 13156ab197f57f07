// Receipts: a sale with its policy, path, split and events.
import { z } from 'zod';
import type { ReceiptFields } from '../../core/receipt.ts';
import { type CoverageOf, receiptCoverage } from '../../core/receipt-coverage.ts';
import { nameSchemas } from '../names.ts';
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
import { MerchantRef, RegisteredPolicy, Token, TxRef } from './common.ts';
import { RefundTerms, soldFields } from './sold-product.ts';

const location = {
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0).describe('Index of the log in its block.'),
};

const EventLocation = z.strictObject(location);

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
  liabilityBefore: Amount.describe('Liability of the campaign just before, base units.'),
  availableBefore: Amount.describe('Unreserved part of the vault just before, base units.'),
  shares: z.array(
    z.strictObject({
      level: z.int().min(1).describe('1 is the selling node.'),
      nodeId: z.string(),
      recipient: Address,
      amount: Amount,
    }),
  ),
});

const LevelState = z.strictObject({
  level: z.int().min(1),
  nodeId: z.string(),
  recipient: Address,
  state: RewardState,
  share: Amount.describe('Reward that the sale gave the level, base units.'),
  reserved: Amount.describe('Still held, base units.'),
  released: Amount.describe('Released by refunds, base units.'),
  vested: Amount.describe('Vested by finalization, including what was reversed; base units.'),
  reversed: Amount.describe('Reversed, base units.'),
});

/** A reward that a level of the sale missed. */
export const MissedReward = z.strictObject({
  level: z.int().min(1),
  nodeId: z.string(),
  recipient: Address,
  reason: z
    .enum(['SALE_CAP', 'LIABILITY_CAP', 'BUDGET', 'DEPTH'])
    .describe('The cap that caused it; DEPTH: the nearest ancestor beyond the rewarded levels.'),
  amount: Amount.nullable().describe('Amount that the cap cost, base units; null for DEPTH.'),
});

/** Amount that a cap cost a level of a sale. */
export const MissedAmount = MissedReward.pick({ reason: true, amount: true });

const AttachedCode = z.strictObject({
  code: z.string().describe('Printable ASCII, without spaces.'),
  role: z
    .enum(['app', 'wallet', 'service'])
    .nullable()
    .describe('What the suffix calls its entity; null if it does not say it.'),
  registry: z
    .strictObject({ chainId: ChainId, address: Address })
    .nullable()
    .describe('The registry that the suffix names; null: the one of the chain, if it has one.'),
});

const Attribution = z.strictObject({
  nodeId: NodeId.nullable().describe('The node in the call: it alone counts. null: no link.'),
  codes: z
    .array(AttachedCode)
    .nullable()
    .describe(
      'Codes at the end of the transaction’s calldata (ERC-8021), as its sender attached them; they decide nothing. Empty: none. null: not known, or another contract was called.',
    ),
});

const Discrepancy = z.strictObject({
  kind: z.string(),
  level: z.int().min(1).nullable(),
  account: Address.nullable(),
  expected: z.string().describe('Value that settlement computed.'),
  actual: z.string().describe('Value on the chain.'),
});

const receiptHead = {
  chainId: ChainId,
  contractAddress: Address,
  saleId: SaleId,
  campaignId: CampaignId,
  buyer: Address,
  nodeId: NodeId.nullable().describe('The selling node; null for a sale without a link.'),
  amount: Amount.describe('Amount that the contract received, base units.'),
  token: Token,
  ...soldFields,
  merchant: MerchantRef,
  trustMode: TrustMode,
  state: SaleState,
  refundedTotal: Amount.describe('Refunded to the buyer so far, base units.'),
  holdUntil: Timestamp.describe('Time from which it can be finalized.'),
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

/** A sale with everything that explains it. Verification reads its part `ReceiptFields`. */
export const Receipt = z.strictObject({
  ...receiptHead,
  termsHash: Hash32.describe(
    'Names the campaign in transactions, because a reorg can give its id to another campaign.',
  ),
  skuHash: Hash32,
  refundPolicy: RefundTerms,
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  record: EventLocation.describe('Location of its SaleRecorded.'),
  policy: RegisteredPolicy,
  path: z.array(PathNode).describe('Nodes of the rewarded levels, the selling node first.'),
  selfReferral: z
    .array(NodeId)
    .describe('Nodes of the path that the buyer owns: it gets their rewards. Empty if none.'),
  split: Split,
  levels: z.array(LevelState).describe('State of each level’s reward.'),
  missed: z.array(MissedReward).describe('Rewards that levels missed, with the reason.'),
  hold: z.strictObject({
    holdSeconds: z.int(),
    holdUntil: Timestamp,
    over: z.boolean().describe('At the time of the block read.'),
  }),
  attestation: z
    .strictObject({ signer: Address, nonce: z.string() })
    .nullable()
    .describe('Who attested a sale that was paid elsewhere; null for a native sale.'),
  attribution: Attribution,
  transitions: z
    .array(EventLocation.extend({ name: z.string(), args: z.record(z.string(), z.unknown()) }))
    .describe('All its events, oldest first; args as decoded, amounts in base units.'),
  discrepancies: z.array(Discrepancy).describe('Empty unless the chain contradicts the ledger.'),
}) satisfies z.ZodType<ReceiptFields>;

// Each field is either compared with the chain or named as not compared, or this does not compile.
receiptCoverage satisfies CoverageOf<z.infer<typeof Receipt>>;

/** An event of a sale. */
export const ReceiptEvent = z.strictObject({
  ...location,
  name: z
    .string()
    .describe(
      'SaleAttested, SaleRecorded, RewardReleased, SaleRefunded, RewardVested, SaleFinalized, RewardReversed or SaleReversed.',
    ),
  args: z.record(z.string(), z.unknown()).describe('As decoded; amounts in base units.'),
  sequence: Count.describe('Number among its campaign’s events, from 1.'),
  at: Timestamp,
  tx: TxRef,
  finality: Finality,
});

nameSchemas({
  EventLocation,
  PathNode,
  SaleSplit: Split,
  LevelState,
  MissedReward,
  MissedAmount,
  AttachedCode,
  SaleAttribution: Attribution,
  SaleDiscrepancy: Discrepancy,
  ReceiptSummary,
  Receipt,
  ReceiptEvent,
});
