// What a merchant changes on the chain: unsigned transactions, with their effects or the reasons against them.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, CampaignId, CampaignState, Hash32, SaleId, Timestamp } from '../values.ts';
import { UnsignedTransaction } from './transaction.ts';

/** A value that the transactions change. */
const Change = z.strictObject({
  subject: z
    .enum(['campaign', 'policy', 'price', 'sale', 'account', 'distributor', 'attester'])
    .describe('What the value belongs to.'),
  id: z
    .string()
    .describe('Id of the campaign or sale, number of the policy, SKU of the price, or address.'),
  field: z.string().describe('Name of the value; of a campaign, its path in campaigns.get.'),
  before: z.string().nullable().describe('At the block read; null if there is none.'),
  after: z.string().nullable().describe('After the transactions; amounts in base units.'),
});

/** Something to know before signing. */
export const Warning = z.strictObject({
  code: z.enum([
    ...(['BUDGET', 'FINAL', 'NO_EFFECT', 'STOPS_SALES', 'PRICE_RAISED', 'HIDES_VERSION'] as const),
    ...(['BALANCE_SHORT', 'ALREADY_CLAIMED', 'DISPUTED', 'MORE', 'NO_MONEY_MOVES'] as const),
    ...(['LOWER_SHARES', 'UNCHECKED_SIGNATURE'] as const),
  ]),
  message: z.string().describe('A sentence with the values.'),
});

/** Why the chain would refuse. */
export const Reason = z.strictObject({
  error: z.string().describe('Name of the contract’s error, or of the revert.'),
  message: z.string().describe('A sentence.'),
});

const step = z.enum([
  ...(['FINALIZE', 'PAUSE', 'RESUME', 'END', 'SCHEDULE_POLICY', 'SET_PRICE'] as const),
  ...(['RESET_ALLOWANCE', 'APPROVE'] as const),
  ...(['FUND', 'RAISE_CAPACITY', 'ALLOW', 'REFUND', 'REVERSE', 'CLAIM', 'RECORD_SALE'] as const),
]);

/** Steps to sign, in their order. */
export const Steps = z
  .array(z.strictObject({ step, transaction: UnsignedTransaction }))
  .describe('Transactions to sign, in this order.');

/** A prepared change of a campaign. */
export const PreparedOperation = z.strictObject({
  campaignId: CampaignId,
  state: CampaignState,
  status: z
    .enum(['ready', 'in_effect', 'needs_approval', 'refused'])
    .describe(
      'ready: sign the transactions. in_effect: nothing is left to do. needs_approval: an attester must sign first. refused: see reasons.',
    ),
  preview: z.array(Change).describe('What the transactions change; empty unless there are some.'),
  warnings: z.array(Warning),
  reasons: z.array(Reason).describe('Why the chain would refuse; empty unless refused.'),
  transactions: Steps,
});

const TypedDataDomain = z.strictObject({
  name: z.literal('Tributary'),
  version: z.literal('3'),
  chainId: z.int().min(1),
  verifyingContract: Address,
});

/**
 * Data to sign by EIP-712, as `eth_signTypedData_v4` takes it; integers, times among them, are decimal digits
 * (docs/reference/api.md#values).
 */
export const TypedData = z.strictObject({
  domain: TypedDataDomain,
  primaryType: z.enum(['SaleAttestation', 'RefundApproval', 'ReversalApproval']),
  types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))),
  message: z.record(z.string(), z.string()),
});

/** The signature that an attester must give first. */
export const RequiredApproval = z.strictObject({
  attester: Address.describe('Who attested the sale, and must sign.'),
  typedData: TypedData,
  deadline: Timestamp.describe('deadline of the typed data as a time: send it with the signature.'),
  digest: Hash32.describe('EIP-712 hash of the typed data: what is signed.'),
});

/** A prepared refund or reversal of a sale. */
export const PreparedSaleOperation = PreparedOperation.extend({
  saleId: SaleId,
  reasonHash: Hash32.describe('keccak-256 of the reason, UTF-8; of zeros without one.'),
  approval: RequiredApproval.nullable().describe(
    'In a THIRD_PARTY_VERIFIED campaign, what its attester signs; null elsewhere.',
  ),
});

nameSchemas({
  OperationChange: Change,
  OperationWarning: Warning,
  OperationReason: Reason,
  PreparedOperation,
  TypedDataDomain,
  TypedData,
  RequiredApproval,
  PreparedSaleOperation,
});
