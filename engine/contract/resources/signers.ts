import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Token, TxRef } from '../shapes/common.ts';
import {
  Address,
  Amount,
  AmountInput,
  CampaignId,
  ChainId,
  ConfirmationToken,
  Hash32,
  Id,
  NodeId,
  pageOf,
  pageQuery,
  SaleId,
  Timestamp,
  textInput,
} from '../values.ts';

const Signer = z.strictObject({
  id: Id,
  address: Address,
  scopes: z.array(z.string()).describe('What it may attest.'),
  limits: z.strictObject({
    perOrder: Amount.describe('Largest amount of one order, base units.'),
    daily: Amount.describe('Largest total of a day in UTC, base units.'),
  }),
  expiry: Timestamp.describe('From when it may sign nothing more.'),
  revokedAt: Timestamp.nullable(),
  usedToday: Amount.describe('Attested since midnight UTC, base units.'),
});

const Policy = z.strictObject({
  domain: z
    .strictObject({
      name: z.string(),
      version: z.string(),
      chainId: ChainId,
      verifyingContract: Address,
    })
    .describe('EIP-712 domain of attestations.'),
  nonceRule: z.string().describe('A sentence: how nonces are chosen.'),
  maxValiditySeconds: z.literal(900).describe('Seconds that an attestation may be valid.'),
});

const Attestation = z.strictObject({
  id: Id,
  campaignId: CampaignId,
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  buyer: Address,
  nodeId: NodeId.nullable().describe('The selling node; null for a sale without a link.'),
  amount: Amount.describe('Amount of the order, base units.'),
  token: Token,
  nonce: z.string().describe('Used once per campaign and signer.'),
  validUntil: Timestamp,
  signedAt: Timestamp,
  status: z.enum(['issued', 'recorded', 'expired']),
  saleId: SaleId.nullable().describe('null until the contract recorded it.'),
  tx: TxRef.nullable().describe('Where it was recorded.'),
});

const params = z.strictObject({ id: Id });

nameSchemas({ Signer, SignerPolicy: Policy, Attestation });

/** Methods for attesters of a merchant. They are not built yet. */
export const signers = resource('signers', {
  about: 'Accounts that attest sales (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: get('/v1/merchant/signers', {
    summary: 'Accounts that may attest sales for the merchant, and the rules they sign by.',
    input: {},
    output: z.strictObject({ items: z.array(Signer), policy: Policy }),
  }),
  add: post('/v1/merchant/signers', {
    caller: 'admin',
    rights: 'widens',
    summary: 'Lets an account attest sales, within limits. Requires a fresh signature.',
    input: {
      body: z.strictObject({
        address: Address,
        scopes: z.array(textInput(100)).max(50).describe('What it may attest; 50 at most.'),
        limits: z.strictObject({
          perOrder: AmountInput.describe('Largest amount of one order, base units.'),
          daily: AmountInput.describe('Largest total of a day in UTC, base units.'),
        }),
        expiry: Timestamp.describe('From when it may sign nothing more.'),
        confirmationToken: ConfirmationToken,
      }),
    },
    output: Signer,
  }),
  revoke: del('/v1/merchant/signers/:id', {
    caller: 'admin',
    rights: 'narrows',
    summary: 'Revokes the right to attest.',
    input: { params },
    output: Signer,
  }),
  attestations: get('/v1/merchant/signers/:id/attestations', {
    summary: 'Attestations of a signer, newest first.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(Attestation),
  }),
});
