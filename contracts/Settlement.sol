// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Sales} from "./Sales.sol";
import {Errors} from "./libraries/Errors.sol";
import {Split} from "./libraries/Split.sol";
import {StoredLedger, StoredNode} from "./libraries/Stored.sol";

/// @title Settlement: refunding, finalizing and reversing sales
/// @dev The events of the levels come before the event that closes them. A level of zero has none.
abstract contract Settlement is Sales {
    /// @notice Time in which an attested sale can be reversed after it was finalized, seconds.
    uint256 public constant REVERSAL_SECONDS = 2_592_000;

    // ───────────────────────────── refunding ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function refund(
        SaleRef calldata saleRef,
        uint256 amount,
        bytes32 reasonHash,
        uint64 deadline,
        bytes calldata attesterSignature
    ) external nonReentrant {
        (StoredCampaign storage c, uint256 saleId, StoredSale storage s) = _saleOfCaller(saleRef);
        if (s.status != SaleStatus.PENDING) revert Errors.SaleNotPending(saleId, s.status);
        if (amount == 0) revert Errors.ZeroAmount();
        uint128 saleAmount = s.amount;
        uint256 refundable = saleAmount - s.refundedTotal;
        if (amount > refundable) revert Errors.RefundTooLarge(saleId, amount, refundable);
        uint256 refundedTotal = saleAmount - refundable + amount;
        bytes32 approval = keccak256(
            abi.encode(REFUND_APPROVAL_TYPEHASH, saleRef, refundedTotal, reasonHash, deadline)
        );
        _checkApproval(c.trustMode, saleId, s.attester, approval, deadline, attesterSignature);

        _release(saleId, s, refundedTotal);
        // Both are at most the amount of the sale.
        s.refundedTotal = uint128(refundedTotal);
        if (refundedTotal == saleAmount) s.status = SaleStatus.REFUNDED;
        bool native = c.trustMode == TrustMode.NATIVE_ONCHAIN;
        if (native) {
            c.proceedsHeld -= uint128(amount);
            _ledgers[saleRef.campaignId].buyerRefunded += amount;
        }
        emit SaleRefunded(
            saleId, saleRef.campaignId, saleRef.buyer, amount, refundedTotal, reasonHash
        );
        if (native) _payOrCredit(saleRef.campaignId, c.token, saleRef.buyer, amount);
    }

    /// @dev Returns to the vault what the levels hold beyond their part of the rest of the sale.
    function _release(uint256 saleId, StoredSale storage s, uint256 refundedTotal) private {
        uint256[] memory shares = _sharesOf(s);
        if (shares.length == 0) return;
        uint256 campaignId = s.campaignId;
        uint256 nodeId = s.nodeId;
        uint256 saleAmount = s.amount;
        uint256 refundedBefore = s.refundedTotal;
        uint256 released;
        for (uint256 i; i < shares.length; ++i) {
            StoredNode storage n = _nodes[nodeId];
            uint256 amount = Split.keptDown(shares[i], saleAmount, refundedBefore)
                - Split.keptDown(shares[i], saleAmount, refundedTotal);
            if (amount != 0) {
                released += amount;
                emit RewardReleased(saleId, campaignId, uint8(i + 1), nodeId, n.owner, amount);
            }
            nodeId = n.parentNodeId;
        }
        if (released != 0) _returnToVault(campaignId, released);
    }

    /// @dev Returns to the vault what is owed no more; at most the liability.
    function _returnToVault(uint256 campaignId, uint256 amount) private {
        StoredLedger storage ledger = _ledgers[campaignId];
        ledger.liability -= uint128(amount);
        ledger.available += uint128(amount);
    }

    // ───────────────────────────── finalizing ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function finalize(uint256[] calldata saleIds) external nonReentrant {
        for (uint256 i; i < saleIds.length; ++i) {
            uint256 saleId = saleIds[i];
            StoredSale storage s = _sales[saleId];
            if (s.campaignId == 0) {
                emit FinalizeSkipped(saleId, SkipReason.UNKNOWN);
            } else if (s.status != SaleStatus.PENDING) {
                emit FinalizeSkipped(saleId, SkipReason.ALREADY_CLOSED);
            } else if (block.timestamp < s.holdUntil) {
                emit FinalizeSkipped(saleId, SkipReason.NOT_DUE);
            } else {
                _finalize(saleId, s);
            }
        }
    }

    /// @dev Vests what the levels hold, and closes the sale. Nothing here can overflow, because
    /// that would revert the sales of other campaigns in the list: what vests is part of the
    /// liability, and the proceeds are part of `proceedsHeld`, both of 128 bits.
    function _finalize(uint256 saleId, StoredSale storage s) private {
        s.status = SaleStatus.FINALIZED;
        s.finalizedAt = uint40(block.timestamp);
        uint256 campaignId = s.campaignId;
        uint256 amount = s.amount;
        uint256 refundedTotal = s.refundedTotal;
        bool native = _campaigns[campaignId].trustMode == TrustMode.NATIVE_ONCHAIN;

        uint256[] memory held = _sharesOf(s);
        uint256 vested;
        uint256 nodeId = s.nodeId;
        for (uint256 i; i < held.length; ++i) {
            StoredNode storage n = _nodes[nodeId];
            uint256 reward = Split.keptDown(held[i], amount, refundedTotal);
            if (reward != 0) {
                address recipient = n.owner;
                Account storage account = _accounts[campaignId][recipient];
                if (!native) {
                    uint48 claims = account.claims;
                    if (claims != 0) s.claimsAtVesting[i] = claims;
                }
                account.claimable += uint128(reward);
                vested += reward;
                emit RewardVested(saleId, campaignId, uint8(i + 1), nodeId, recipient, reward);
            }
            nodeId = n.parentNodeId;
        }
        StoredLedger storage ledger = _ledgers[campaignId];
        ledger.vested += uint128(vested);
        if (native) ledger.proceedsClaimable += uint128(amount - refundedTotal);
        emit SaleFinalized(saleId, campaignId, refundedTotal);
    }

    // ───────────────────────────── reversing ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function reverse(
        SaleRef calldata saleRef,
        bytes32 reasonHash,
        uint64 deadline,
        bytes calldata attesterSignature
    ) external nonReentrant {
        (StoredCampaign storage c, uint256 saleId, StoredSale storage s) = _saleOfCaller(saleRef);
        uint256 campaignId = saleRef.campaignId;
        if (c.trustMode == TrustMode.NATIVE_ONCHAIN) {
            revert Errors.WrongTrustMode(campaignId, c.trustMode);
        }
        if (s.status != SaleStatus.FINALIZED) revert Errors.SaleNotFinalized(saleId, s.status);
        uint256 lastSecond = s.finalizedAt + REVERSAL_SECONDS;
        if (block.timestamp > lastSecond) revert Errors.ReversalTooLate(saleId, lastSecond);
        bytes32 approval =
            keccak256(abi.encode(REVERSAL_APPROVAL_TYPEHASH, saleRef, reasonHash, deadline));
        _checkApproval(c.trustMode, saleId, s.attester, approval, deadline, attesterSignature);

        s.status = SaleStatus.REVERSED;
        uint256[] memory held = _sharesOf(s);
        uint256 reversed;
        uint256 nodeId = s.nodeId;
        for (uint256 i; i < held.length; ++i) {
            StoredNode storage n = _nodes[nodeId];
            address recipient = n.owner;
            uint256 amount = Split.keptDown(held[i], s.amount, s.refundedTotal);
            Account storage account = _accounts[campaignId][recipient];
            if (amount != 0 && account.claims == s.claimsAtVesting[i]) {
                account.claimable -= uint128(amount);
                reversed += amount;
                emit RewardReversed(saleId, campaignId, uint8(i + 1), nodeId, recipient, amount);
            }
            nodeId = n.parentNodeId;
        }
        if (reversed != 0) {
            _ledgers[campaignId].vested -= uint128(reversed);
            _returnToVault(campaignId, reversed);
        }
        emit SaleReversed(saleId, campaignId, reasonHash);
    }
}
