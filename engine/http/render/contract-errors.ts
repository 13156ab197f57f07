import type { ContractErrorName } from 'viem';
import type { z } from 'zod';
import type { referralCommerceAbi } from '../../../abis/index.ts';
import type { Reason } from '../../contract/shapes/operation.ts';

/** Name of an error with which the contract refuses a call. */
export type ContractError = ContractErrorName<typeof referralCommerceAbi>;

/** Sentence for each error of the contract (contracts/libraries/Errors.sol), for the sender of the call. */
const sentences: { readonly [N in ContractError]: string } = {
  AboveDailyLimit: 'The sale is above what the attester may still attest today (UTC).',
  AboveOrderLimit: 'The sale is above what the attester may attest in one order.',
  AmountAboveAvailable: 'The amount is above what is not reserved in the vault.',
  AmountTooLarge: 'An amount, or the sum of those in a campaign, is at most 2^128 − 1.',
  AttesterExpiresTooSoon: 'The permission of an attester must end after now.',
  AttesterNotAllowed: 'The signer is not an attester that the merchant allows now.',
  CampaignWindowEmpty: 'A campaign must end after it starts, and after now.',
  CapacityFalls: 'A capacity can be raised, but never lowered.',
  CapacityTooLarge: 'A capacity is at most 2^53 − 1.',
  CapTooLarge: 'A cap is at most 2^128 − 2, or 2^256 − 1 for none.',
  CommissionOutOfBounds: 'A commission is 1 to 10000 basis points.',
  DepthOutOfBounds: 'A policy rewards 1 to 5 levels.',
  DistributorNotAllowed: 'The campaign is by invitation only, and the account is not allowed.',
  EffectiveTooSoon: 'A policy takes effect at least 3600 seconds after it is scheduled.',
  HoldOutOfBounds: 'A hold is 60 to 7776000 seconds.',
  InexactTransfer: 'The token moved another amount than it was asked to.',
  InvalidShortString: 'The contract could not read a text.',
  InvalidSignature: 'The signature is not by the account that has to sign.',
  ListTooLong: 'A list has at most 32 entries.',
  NoPolicyAt: 'No policy of the campaign is in effect.',
  NodeCapacityReached: 'The campaign has as many links as it may have.',
  NodesPerAccountReached: 'The account has as many links as one account may have.',
  NonceUsed: 'The signer has used this nonce in the campaign.',
  NotEnoughGas: 'The transaction needs more gas for the payment.',
  NotMerchant: 'Only the merchant of the campaign may do this.',
  NotPaidBy: 'The token did not take the price from the buyer.',
  NotStarted: 'Sales of the campaign have not started yet.',
  NothingCredited: 'The account has no credit in the campaign.',
  NothingReceived: 'The token transferred nothing.',
  NothingToClaim: 'There is nothing to claim.',
  OrderExpired: 'The deadline of the order has passed.',
  OrderKeyUsed: 'The buyer has used this order key: the order is recorded already.',
  OrderUsed: 'The order was used already.',
  PolicyExpiresTooSoon: 'The policy would expire before it takes effect.',
  PolicyTooOld: 'The policy in effect is older than the buyer accepts.',
  PriceAboveMax: 'The price is above what the buyer accepts.',
  PriceChanged: 'The price is no longer the one that the authorization pays.',
  ReentrancyGuardReentrantCall: 'The token called the contract back during the payment.',
  RefundTooLarge: 'The amount is above what is left of the sale to refund.',
  ReversalTooLate: 'A sale can be reversed within 30 days of its finalization only.',
  RewardTokenDiffers: 'The reward token must be the token of the campaign.',
  SafeERC20FailedOperation: 'The token refused the transfer.',
  SaleCapacityReached: 'The campaign has as many sales as it may have.',
  SaleNotFinalized: 'Only a finalized sale can be reversed.',
  SaleNotPending: 'Only a pending sale can be refunded.',
  SelfReferral:
    'The policy refuses self-referral, and the buyer owns a node that the sale would reward.',
  SignatureExpired: 'The deadline of the signature has passed.',
  StringTooLong: 'The contract could not read a text.',
  TermsUsed: 'The merchant has a campaign with these terms already.',
  TextTooLong: 'A text has at most 64 bytes.',
  TimeTooLate: 'A time is at most the end of the year 9999.',
  TokenDecimalsMissing: 'The token does not report its decimals.',
  TokenDecimalsTooMany: 'The token has more than 36 decimals.',
  TooManyPoliciesWaiting: 'At most 4 versions of a policy may wait to take effect.',
  UnexpectedOrderSignature: 'With an authorization, the order has no signature of its own.',
  UnexpectedSignature: 'Sales of this campaign need no signature of an attester.',
  UnknownCampaign: 'The chain has no such campaign.',
  UnknownNode: 'The campaign has no such node.',
  UnknownOrder: 'The campaign has no sale of that buyer and order key.',
  UnknownSale: 'The chain has no such sale.',
  UnknownSku: 'The campaign has no price for this SKU.',
  ValidityTooLong: 'The deadline of a signature is at most 900 seconds ahead.',
  WeightCountWrong: 'A policy has one weight for each rewarded level.',
  WeightSumWrong: 'The weights add up to 10000 basis points.',
  WrongNodeOwner: 'The node belongs to another account than the call names.',
  WrongState: 'The state of the campaign does not allow this.',
  WrongTerms: 'The campaign of that id has other terms: a reorg may have replaced it.',
  WrongTrustMode:
    'The trust mode of the campaign does not allow this: buyers pay on chain in NATIVE_ONCHAIN alone; orders are attested, and finalized sales reversed, in MERCHANT_ATTESTED and THIRD_PARTY_VERIFIED.',
  ZeroAddress: 'An address must not be zero.',
  ZeroAmount: 'An amount must be above 0.',
  ZeroCap: 'A cap must be above 0.',
  ZeroWeight: 'A weight must be above 0.',
};

/** Reason for an error of the contract. */
export function contractReason(error: ContractError): z.infer<typeof Reason> {
  return { error, message: sentences[error] };
}

/**
 * Reason for a reverted simulation.
 * @param error as `simulation.error` has it: `WrongState(7, 2)`, or a sentence about a revert that the contract
 * does not name, such as one of the token.
 */
export function simulatedReason(error: string): z.infer<typeof Reason> {
  const name = /^\w+(?=\()/.exec(error)?.[0] ?? error;
  const sentence = Object.hasOwn(sentences, name)
    ? sentences[name as ContractError]
    : 'The contract or the token refuses the call.';
  return { error: name, message: name === error ? sentence : `${sentence} ${error}.` };
}
