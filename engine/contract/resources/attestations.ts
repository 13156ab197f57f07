import { z } from 'zod';
import { post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { PreparedOperation, TypedData } from '../shapes/operation.ts';
import { PositiveAmountInput, Uint256Input } from '../shapes/policy-input.ts';
import {
  Address,
  CampaignId,
  Hash32,
  Id,
  NodeId,
  SaleId,
  Signature,
  Timestamp,
} from '../values.ts';

/** 2^64 − 1: times of the contract are uint64. */
const MAX_UINT64 = 2n ** 64n - 1n;

const Attestation = z.strictObject({
  campaignId: CampaignId,
  termsHash: Hash32,
  buyer: Address,
  nodeId: NodeId.describe('0 for a sale without a link.'),
  nodeOwner: Address.describe('0x0…0 for a sale without a link.'),
  amount: PositiveAmountInput.describe('Amount that was paid, base units.'),
  orderKey: Hash32,
  skuHash: Hash32,
  nonce: Uint256Input.describe('Used once by its signer in the campaign; decimal digits.'),
  deadline: z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,19})$/, 'must be at most 20 decimal digits')
    .refine(
      (digits) => !/^[0-9]{1,20}$/.test(digits) || BigInt(digits) <= MAX_UINT64,
      'must be at most 2^64 − 1',
    )
    .describe('Last second at which it is valid, unix seconds in decimal digits.'),
});

nameSchemas({ SaleAttestation: Attestation });

const recorded = {
  saleId: SaleId.nullable().describe('The sale of this order, if it is recorded; null until then.'),
};

/** Methods for sales that were paid outside the contract (docs/use/trust-modes.md). */
export const attestations = resource('attestations', {
  about: 'Sales that were paid outside the contract.',
  caller: 'account',
  documentedName: null,
})({
  prepare: post('/v1/merchant/campaigns/:campaignId/attestations', {
    caller: 'admin',
    summary: 'The message to sign for a sale that was paid elsewhere, and what it would reward.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      body: z.strictObject({
        buyer: Address.describe('Account of the buyer.'),
        orderKey: Hash32.describe('Names the order: recorded once for each buyer.'),
        amount: PositiveAmountInput.describe('Amount that was paid, base units.'),
        nodeId: NodeId.describe('Link that sold; default none, a sale without a link.').optional(),
        variantId: Id.describe('A variant of the campaign’s product.').optional(),
        skuHash: Hash32.describe('Any SKU; default the campaign’s own.').optional(),
        deadline: Timestamp.describe(
          'Last second of the signature; default 840 s after the newest block, at most 900 s.',
        ).optional(),
      }),
    },
    output: PreparedOperation.omit({ transactions: true }).extend({
      ...recorded,
      signers: z
        .array(Address)
        .describe(
          'One of these accounts must sign; at most 100, without those whose limits the sale exceeds.',
        ),
      attestation: Attestation.nullable().describe(
        'Send it to attestations.submit; null unless ready.',
      ),
      typedData: TypedData.nullable().describe('null unless ready.'),
      digest: Hash32.nullable().describe('EIP-712 hash of the typed data: what is signed.'),
    }),
  }),
  submit: post('/v1/attestations', {
    summary: 'Checks a signed attestation, and prepares the transaction that records the sale.',
    input: {
      body: z.strictObject({
        attestation: Attestation.describe('The message of the typed data, as it was signed.'),
        signature: Signature.describe(
          'Of the merchant, or of an allowed attester; at most 10000 bytes.',
        ),
      }),
    },
    output: PreparedOperation.extend({
      ...recorded,
      signer: Address.nullable().describe('Who signed; null if that is unknown.'),
    }),
  }),
});
