import { encodeFunctionData, hashTypedData, zeroAddress } from 'viem';
import { referralCommerceAbi } from '../../../../abis/index.ts';
import type { SignatureToGive } from '../../../contract/shapes/signed-order.ts';
import { amountText } from '../../../core/amount-text.ts';
import type { Hex } from '../../../core/events.ts';
import { type PaymentKind, paymentKinds } from '../../../core/signed-order.ts';
import { domainFields, tokenStructs } from '../../../core/signed-structs.ts';
import type { Intent } from '../../../db/commerce/intents.ts';
import type { AppDeps } from '../../deps.ts';
import { typedData } from '../operations/typed-data.ts';
import type { PlannedCall } from '../transactions/planned-call.ts';
import type { OfferedPayment } from './offer.ts';
import type { TokenDomain } from './token-signatures.ts';

type Deps = Pick<AppDeps, 'deployment'>;

/** Last second at which the order of an intent is valid. */
export function deadlineOf({ expiresAt }: Intent): number {
  return Math.floor(expiresAt.getTime() / 1_000);
}

/** The order to buy what an intent is about, as typed data (docs/reference/protocol.md#what-is-signed). */
function orderData(deps: Deps, intent: Intent) {
  return typedData(deps, 'BuyOrder', {
    campaignId: intent.campaignId,
    termsHash: intent.termsHash,
    buyer: intent.buyer,
    nodeId: intent.nodeId ?? '0',
    nodeOwner: intent.nodeOwner ?? zeroAddress,
    skuHash: intent.skuHash,
    orderKey: intent.orderKey,
    maxAmount: String(intent.amount),
    minPolicyVersion: String(intent.minPolicyVersion),
    deadline: String(deadlineOf(intent)),
  });
}

/** Signatures that a buyer gives to pay for an intent, in the order in which they are given. */
export function signaturesFor(
  deps: Deps,
  intent: Intent,
  payment: OfferedPayment,
): SignatureToGive[] {
  const { amount, buyer, token, campaignId } = intent;
  const order = orderData(deps, intent);
  const until = `until ${intent.expiresAt.toISOString()}`;
  const paid = `${amountText(amount, token)} (token ${token.address})`;
  const signedOrder: SignatureToGive = {
    ...{ name: 'ORDER', ...order },
    description: `Buys from campaign ${campaignId} for at most ${paid}, ${until}; anyone may send it, once.`,
  };
  if (payment.kind === 'allowance') return [signedOrder];
  const spender = deps.deployment.contractAddress;
  if (payment.kind === 'authorization') {
    const data = tokenData(payment.domain, 'ReceiveWithAuthorization', {
      ...{ from: buyer, to: spender, value: String(amount), validAfter: '0' },
      ...{ validBefore: String(validBefore(intent, 'authorization')), nonce: order.digest },
    });
    const description = `Pays ${paid} to the contract for exactly this order in campaign ${campaignId}, ${until}; its nonce is the order's digest.`;
    return [{ name: 'AUTHORIZATION', ...data, description }];
  }
  const data = tokenData(payment.domain, 'Permit', {
    ...{ owner: buyer, spender, value: String(amount), nonce: String(payment.nonce) },
    deadline: String(validBefore(intent, 'permit')),
  });
  const description = `Lets the contract take ${paid} from you, ${until}.`;
  return [{ name: 'PERMIT', ...data, description }, signedOrder];
}

/** Deadline of the payment: an authorization is valid before its time, a permit until it. */
function validBefore(intent: Intent, kind: PaymentKind): number {
  return kind === 'allowance' ? 0 : deadlineOf(intent) + (kind === 'authorization' ? 1 : 0);
}

function tokenData(
  domain: TokenDomain,
  primaryType: keyof typeof tokenStructs,
  message: Readonly<Record<string, string>>,
) {
  const types = { EIP712Domain: [...domainFields], [primaryType]: [...tokenStructs[primaryType]] };
  const digest = hashTypedData({ domain, types, primaryType: primaryType as string, message });
  return { typedData: { domain, primaryType, types, message }, digest };
}

/** Signatures that a buyer gave. */
export interface GivenSignatures {
  readonly payment: PaymentKind;
  /** That of the order; `0x` with an authorization, which is one of the order, too. */
  readonly order: Hex;
  /** That of the permit or authorization; `0x` with an allowance. */
  readonly token: Hex;
}

/** The call that the relayer sends. */
export function orderCall(deps: Deps, intent: Intent, given: GivenSignatures): PlannedCall {
  const { contractAddress } = deps.deployment;
  const order = {
    campaignId: BigInt(intent.campaignId),
    termsHash: intent.termsHash,
    buyer: intent.buyer,
    nodeId: BigInt(intent.nodeId ?? '0'),
    nodeOwner: intent.nodeOwner ?? zeroAddress,
    skuHash: intent.skuHash,
    orderKey: intent.orderKey,
    maxAmount: intent.amount,
    minPolicyVersion: intent.minPolicyVersion,
    deadline: BigInt(deadlineOf(intent)),
  };
  const payment = {
    kind: paymentKinds.indexOf(given.payment),
    validAfter: 0n,
    validBefore: BigInt(validBefore(intent, given.payment)),
    signature: given.token,
  };
  const data = encodeFunctionData({
    abi: referralCommerceAbi,
    functionName: 'buyFor',
    args: [order, given.order, payment],
  });
  const description = `Buys for ${intent.buyer} from campaign ${intent.campaignId}.`;
  return { to: contractAddress, data, abi: referralCommerceAbi, description };
}
