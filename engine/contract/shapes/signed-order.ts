// Orders that buyers sign, and a relayer sends.
import { z } from 'zod';
import { paymentKinds } from '../../core/signed-order.ts';
import { nameSchemas } from '../names.ts';
import { Address, Hash32, Id, Timestamp } from '../values.ts';

export const PaymentKind = z
  .enum(paymentKinds)
  .describe(
    'allowance: the contract may take the price already; permit: EIP-2612; authorization: EIP-3009.',
  );

/** An order that the buyer of an intent has signed. */
export const SignedOrder = z.strictObject({
  state: z
    .enum(['waiting', 'sent', 'recorded', 'refused', 'expired'])
    .describe('recorded: a block has its sale, from any sender; a reorg can change that.'),
  payment: PaymentKind,
  reason: z.string().nullable().describe('Why it was refused, a sentence; null otherwise.'),
  transactionHash: Hash32.nullable().describe('Of the newest transaction; null if none was sent.'),
  at: Timestamp.describe('When the order was accepted.'),
});

/** Data to sign by EIP-712, of our contract or of a token; integers are decimal digits. */
const OrderTypedData = z.strictObject({
  domain: z.strictObject({
    name: z.string(),
    version: z.string(),
    chainId: z.int().min(1),
    verifyingContract: Address,
  }),
  primaryType: z.enum(['BuyOrder', 'ReceiveWithAuthorization', 'Permit']),
  types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))),
  message: z.record(z.string(), z.string()),
});

const SignatureToGive = z.strictObject({
  name: z.enum(['ORDER', 'PERMIT', 'AUTHORIZATION']),
  description: z.string().describe('A sentence that says what the signature allows.'),
  typedData: OrderTypedData,
  digest: Hash32.describe('EIP-712 hash of the typed data: what is signed.'),
});

/** Signatures with which a buyer can pay without a transaction of its own, or why that is not offered. */
export const PreparedOrder = z.strictObject({
  intentId: Id,
  offered: z.boolean(),
  reason: z
    .strictObject({
      code: z.enum([
        ...(['NO_RELAYER', 'NOT_SPONSORED', 'NO_BUDGET', 'STOPPED'] as const),
        ...(['TOKEN_UNKNOWN', 'TOKEN_WITHOUT_SIGNATURES', 'NOT_PAYABLE'] as const),
      ]),
      message: z.string(),
    })
    .nullable()
    .describe('Why it is not offered; null if it is. The buyer can pay by a transaction.'),
  payment: PaymentKind.nullable().describe('null if it is not offered.'),
  signatures: z
    .array(SignatureToGive)
    .describe(
      'What to sign, in this order: one, or two with a permit; empty if it is not offered.',
    ),
  expiresAt: Timestamp.describe('Until when a block can record the order.'),
});

nameSchemas({ PaymentKind, SignedOrder, OrderTypedData, SignatureToGive, PreparedOrder });

export type SignedOrder = z.infer<typeof SignedOrder>;
export type SignatureToGive = z.infer<typeof SignatureToGive>;
export type PreparedOrder = z.infer<typeof PreparedOrder>;
