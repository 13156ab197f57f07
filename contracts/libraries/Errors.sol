// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralTypes} from "../IReferralCommerce.sol";

/// @title Errors of the referral commerce protocol
/// @notice One error per meaning; each names what was wrong and with which value.
library Errors {
    // ───────────────────────────── ids and callers ─────────────────────────────

    /// @notice No campaign has this id.
    error UnknownCampaign(uint256 campaignId);
    /// @notice The campaign has no such node; `campaignId` 0 means that no campaign has it.
    error UnknownNode(uint256 campaignId, uint256 nodeId);
    /// @notice No sale has this id.
    error UnknownSale(uint256 saleId);
    /// @notice The buyer has no sale with this order key in the campaign.
    error UnknownOrder(uint256 campaignId, address buyer, bytes32 orderKey);
    /// @notice The call names other terms (`expected`) than the campaign has (`actual`).
    error WrongTerms(uint256 campaignId, bytes32 expected, bytes32 actual);
    /// @notice The call names another owner (`expected`) than the node has (`actual`).
    error WrongNodeOwner(uint256 nodeId, address expected, address actual);
    /// @notice The merchant has created a campaign with these terms already: choose another salt.
    error TermsUsed(bytes32 termsHash);
    /// @notice The campaign has no price for this variant.
    error UnknownSku(uint256 campaignId, bytes32 skuHash);
    /// @notice Only the campaign's merchant may do this.
    error NotMerchant(uint256 campaignId, address caller);
    /// @notice The campaign is invite-only and the merchant has not allowed this account.
    error DistributorNotAllowed(uint256 campaignId, address account);
    /// @notice The signer is not an attester that the merchant allows now, or is the merchant itself.
    error AttesterNotAllowed(uint256 campaignId, address signer);

    // ───────────────────────────── states ─────────────────────────────

    /// @notice The campaign's state does not allow this.
    error WrongState(uint256 campaignId, IReferralTypes.CampaignState state);
    /// @notice The campaign's trust mode does not allow this.
    error WrongTrustMode(uint256 campaignId, IReferralTypes.TrustMode trustMode);
    /// @notice Sales of the campaign begin at `startsAt`, unix seconds.
    error NotStarted(uint256 campaignId, uint64 startsAt);
    /// @notice Only a pending sale can be refunded.
    error SaleNotPending(uint256 saleId, IReferralTypes.SaleStatus status);
    /// @notice Only a finalized sale can be reversed.
    error SaleNotFinalized(uint256 saleId, IReferralTypes.SaleStatus status);
    /// @notice The sale could be reversed up to and including `lastSecond`, unix seconds.
    error ReversalTooLate(uint256 saleId, uint256 lastSecond);

    // ───────────────────────────── amounts and capacities ─────────────────────────────

    /// @notice An amount or a price must be above zero.
    error ZeroAmount();
    /// @notice An amount, and the sum of those that a campaign holds, is at most 2^128 − 1.
    error AmountTooLarge(uint256 amount);
    /// @notice The attester may attest sales of at most `perOrder` base units.
    error AboveOrderLimit(uint256 campaignId, address signer, uint256 amount, uint256 perOrder);
    /// @notice The attester may attest `left` base units more today (UTC).
    error AboveDailyLimit(uint256 campaignId, address signer, uint256 amount, uint256 left);
    /// @notice The transfer brought in nothing.
    error NothingReceived(address token);
    /// @notice The token did not take from this account what arrived.
    error NotPaidBy(address token, address payer);
    /// @notice The price is above what the buyer accepts, both in base units.
    error PriceAboveMax(uint256 price, uint256 maxAmount);
    /// @notice The authorization pays `maxAmount`, but the price is lower now, both in base units.
    error PriceChanged(uint256 price, uint256 maxAmount);
    /// @notice Only `refundable` base units of the sale are left to refund.
    error RefundTooLarge(uint256 saleId, uint256 amount, uint256 refundable);
    /// @notice Only `available` base units are not reserved.
    error AmountAboveAvailable(uint256 campaignId, uint256 amount, uint256 available);
    /// @notice The account has nothing to claim in the campaign.
    error NothingToClaim(uint256 campaignId, address account);
    /// @notice The account has no credit in the campaign.
    error NothingCredited(uint256 campaignId, address account);
    /// @notice The account owns as many nodes of the campaign as one account may.
    error NodesPerAccountReached(uint256 campaignId, address account, uint32 limit);
    /// @notice The campaign has as many nodes as its capacity allows.
    error NodeCapacityReached(uint256 campaignId, uint64 nodeCapacity);
    /// @notice The campaign has recorded as many sales as its capacity allows.
    error SaleCapacityReached(uint256 campaignId, uint64 saleCapacity);
    /// @notice A capacity is at most 2^53 − 1.
    error CapacityTooLarge(uint64 capacity);
    /// @notice A capacity never falls.
    error CapacityFalls(uint64 current, uint64 requested);

    // ───────────────────────────── times ─────────────────────────────

    /// @notice A time is at most 253402300799, the end of the year 9999.
    error TimeTooLate(uint64 time);
    /// @notice A campaign must end after it starts, and after now.
    error CampaignWindowEmpty(uint64 startsAt, uint64 endsAt);
    /// @notice An attester's permission must end after now.
    error AttesterExpiresTooSoon(uint64 expiry, uint256 timestamp);
    /// @notice The signature was valid until `deadline`, unix seconds.
    error SignatureExpired(uint64 deadline, uint256 timestamp);
    /// @notice The order was valid up to and including `deadline`, unix seconds.
    error OrderExpired(uint64 deadline, uint256 timestamp);
    /// @notice A signature may be valid until `latest` at most, unix seconds.
    error ValidityTooLong(uint64 deadline, uint256 latest);

    // ───────────────────────────── tokens ─────────────────────────────

    /// @notice The token does not report its decimals, or is not a contract.
    error TokenDecimalsMissing(address token);
    /// @notice The token has more than 36 decimals.
    error TokenDecimalsTooMany(address token, uint256 decimals);
    /// @notice A payment of `amount` must take exactly that from the contract, and a refused
    /// payment nothing; the token took `taken` base units.
    error InexactTransfer(address token, uint256 amount, uint256 taken);
    /// @notice The token refused the payment, but had less than `required` gas, so that it may have
    /// run out of gas instead.
    error NotEnoughGas(uint256 gas, uint256 required);
    /// @notice Money cannot be sent to the zero address.
    error ZeroAddress();

    // ───────────────────────────── policies ─────────────────────────────

    /// @notice The reward token must be the campaign's token.
    error RewardTokenDiffers(address rewardToken, address token);
    /// @notice A commission is 1 to 10000 basis points.
    error CommissionOutOfBounds(uint16 commissionBps);
    /// @notice A cap must be above zero; 2^256 − 1 means no cap.
    error ZeroCap();
    /// @notice A cap is at most 2^128 − 2, or 2^256 − 1 for no cap.
    error CapTooLarge(uint256 cap);
    /// @notice A policy rewards 1 to 5 ancestors.
    error DepthOutOfBounds(uint8 maxRewardedAncestors);
    /// @notice There must be one weight per rewarded ancestor.
    error WeightCountWrong(uint256 weights, uint8 maxRewardedAncestors);
    /// @notice A weight must be above zero; `level` counts from 1.
    error ZeroWeight(uint256 level);
    /// @notice The weights must add up to 10000 basis points.
    error WeightSumWrong(uint256 sum);
    /// @notice A hold is 60 to 7776000 seconds.
    error HoldOutOfBounds(uint32 holdSeconds);
    /// @notice The policy would expire before it takes effect.
    error PolicyExpiresTooSoon(uint64 expiry, uint64 effectiveAt);
    /// @notice A list has at most 32 entries.
    error ListTooLong(uint256 entries);
    /// @notice A text has at most 64 bytes.
    error TextTooLong(uint256 bytesLength);
    /// @notice A later version takes effect at `earliest` or after, unix seconds.
    error EffectiveTooSoon(uint64 effectiveAt, uint256 earliest);
    /// @notice At most 4 versions wait to take effect.
    error TooManyPoliciesWaiting(uint256 campaignId);
    /// @notice No policy of the campaign was in effect then.
    error NoPolicyAt(uint256 campaignId, uint256 timestamp);
    /// @notice The policy excludes buyers who own a node that the sale would reward.
    error SelfReferral(uint256 campaignId, address buyer, uint256 nodeId);
    /// @notice The policy in effect is older than the buyer accepts.
    error PolicyTooOld(uint256 campaignId, uint32 version, uint32 minPolicyVersion);

    // ───────────────────────────── replays and signatures ─────────────────────────────

    /// @notice The buyer has used this key in the campaign: the order is already recorded.
    error OrderKeyUsed(uint256 campaignId, address buyer, bytes32 orderKey);
    /// @notice The order with this digest has been used.
    error OrderUsed(bytes32 digest);
    /// @notice The signer has used this nonce in the campaign.
    error NonceUsed(uint256 campaignId, address signer, uint256 nonce);
    /// @notice The signature is not by `signer`; zero if no signer could be recovered.
    error InvalidSignature(address signer);
    /// @notice The sale does not need an attester's signature: leave it empty.
    error UnexpectedSignature(uint256 saleId);
    /// @notice An order that an authorization pays needs no signature of its own: leave it empty.
    error UnexpectedOrderSignature();
}
