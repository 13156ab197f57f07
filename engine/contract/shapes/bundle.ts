// Receipt bundles: docs/reference/bundle.md says what each part proves, and how it is checked.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  BlockNumber,
  CampaignId,
  ChainId,
  Hash32,
  NodeId,
  SaleId,
  SaleState,
  Timestamp,
  TrustMode,
} from '../values.ts';
import { RegisteredPolicy } from './common.ts';

const Bytes = z
  .templateLiteral(['0x', z.string().regex(/^(?:[0-9a-f]{2})+$/)])
  .describe('0x and pairs of lower-case hex digits.');

const BlockProof = z.strictObject({
  blockNumber: BlockNumber,
  nodes: z
    .array(Bytes)
    .describe('Nodes of the receipts trie, RLP, each once, in the order of the walks.'),
  transactionIndexes: z.array(z.int().min(0)).describe('Transactions of the receipts, ascending.'),
});

const ProvenEvent = z.strictObject({
  args: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .describe('As decoded; amounts in base units.'),
  blockHash: Hash32,
  blockNumber: BlockNumber,
  logPosition: z.int().min(0).describe('Index among the logs of its transaction, from 0.'),
  name: z.string(),
  transactionIndex: z.int().min(0),
});

const ProvenReceipt = z.strictObject({
  amount: Amount,
  buyer: Address,
  campaign: z.strictObject({
    merchant: Address,
    metadataHash: Hash32,
    salt: Hash32,
    termsHash: Hash32,
    token: Address,
    tokenDecimals: z.int().min(0),
    tokenName: z.string(),
    tokenSymbol: z.string(),
    trustMode: TrustMode,
  }),
  campaignId: CampaignId,
  claims: z.array(ProvenEvent).describe('The first claim after each vesting, oldest first.'),
  holdUntil: Timestamp,
  nodeId: NodeId.nullable().describe('The selling node; null for a sale without a link.'),
  orderKey: Hash32,
  path: z.array(
    z.strictObject({ nodeId: NodeId, parentNodeId: NodeId.nullable(), owner: Address }),
  ),
  policy: RegisteredPolicy,
  refundedTotal: Amount,
  skuHash: Hash32,
  soldAt: Timestamp,
  split: z.strictObject({
    gross: Amount,
    pool: Amount,
    poolBoundBy: z
      .enum(['policy', 'ledger'])
      .describe('ledger: the budget was too small, and the pool is what the contract reported.'),
    reserved: Amount,
    returned: Amount,
    shares: z.array(
      z.strictObject({
        level: z.int().min(1),
        nodeId: NodeId,
        recipient: Address,
        amount: Amount,
      }),
    ),
  }),
  state: SaleState,
  transitions: z.array(ProvenEvent).describe('All events of the sale, oldest first.'),
});

/** A receipt bundle (docs/reference/bundle.md). */
export const ReceiptBundle = z.strictObject({
  bundleHash: Hash32.describe('keccak-256 of the canonical JSON of the rest.'),
  chainId: ChainId,
  contractAddress: Address,
  format: z.literal('tributary-receipt-bundle-2'),
  headers: z.array(Bytes).describe('Block headers, RLP, in ascending order.'),
  proofs: z.array(BlockProof),
  receipt: ProvenReceipt.describe(
    'The receipt that follows from the proofs; a verifier computes it again and compares.',
  ),
  saleId: SaleId,
});

nameSchemas({
  BundleBytes: Bytes,
  BundleBlockProof: BlockProof,
  BundleEvent: ProvenEvent,
  BundleReceipt: ProvenReceipt,
  ReceiptBundle,
});
