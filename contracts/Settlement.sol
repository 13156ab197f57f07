// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Sales} from "./Sales.sol";
import {Errors} from "./libraries/Errors.sol";
import {Split} from "./libraries/Split.sol";

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
        (Campaign storage c, uint256 saleId, StoredSale storage s) = _saleOfCaller(saleRef);
        if (s.status != SaleStatus.PENDING) revert Errors.SaleNotPending(saleId, s.status);
        if (amount == 0) revert Errors.ZeroAmount();
        uint256 refundable = s.amount - s.refundedTotal;
        if (amount > refundable) revert Errors.RefundTooLarge(saleId, amount, refundable);
        uint256 refundedTotal = s.refundedTotal + amount;
        bytes32 approval = keccak256(
            abi.encode(REFUND_APPROVAL_TYPEHASH, saleRef, refundedTotal, reasonHash, deadline)
        );
        _checkApproval(c.trustMode, saleId, s.attester, approval, deadline, attesterSignature);

        _release(saleId, s, refundedTotal);
        s.refundedTotal = refundedTotal;
        if (refundedTotal == s.amount) s.status = SaleStatus.REFUNDED;
        bool native = c.trustMode == TrustMode.NATIVE_ONCHAIN;
        if (native) {
            CampaignLedger storage ledger = _ledgers[saleRef.campaignId];
            ledger.proceedsPending -= amount;
            ledger.buyerRefunded += amount;
        }
        emit SaleRefunded(
            saleId, saleRef.campaignId, saleRef.buyer, amount, refundedTotal, reasonHash
        );
        if (native) _payOrCredit(saleRef.campaignId, c.token, saleRef.buyer, amount);
    }

    /// @dev Returns to the vault what the levels hold beyond their part of the rest of the sale.
    function _release(uint256 saleId, StoredSale storage s, uint256 refundedTotal) private {
        uint256 released;
        uint256 nodeId = s.nodeId;
        for (uint8 i; i < s.levels; ++i) {
            StoredNode storage n = _nodes[nodeId];
            uint256 amount = _heldDown(s, i) - Split.keptDown(s.shares[i], s.amount, refundedTotal);
            if (amount != 0) {
                released += amount;
                emit RewardReleased(saleId, s.campaignId, i + 1, nodeId, n.owner, amount);
            }
            nodeId = n.parentNodeId;
        }
        CampaignLedger storage ledger = _ledgers[s.campaignId];
        ledger.pendingReserved -= released;
        ledger.available += released;
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

    /// @dev Vests what the levels hold, and closes the sale.
    function _finalize(uint256 saleId, StoredSale storage s) private {
        uint256 campaignId = s.campaignId;
        s.status = SaleStatus.FINALIZED;
        s.finalizedAt = uint64(block.timestamp);
        bool native = _campaigns[campaignId].trustMode == TrustMode.NATIVE_ONCHAIN;

        uint256 vested;
        uint256 nodeId = s.nodeId;
        for (uint8 i; i < s.levels; ++i) {
            StoredNode storage n = _nodes[nodeId];
            uint256 amount = _heldDown(s, i);
            if (amount != 0) {
                Account storage account = _accounts[campaignId][n.owner];
                account.claimable += amount;
                if (!native) s.claimsAtVesting[i] = account.claims;
                vested += amount;
                emit RewardVested(saleId, campaignId, i + 1, nodeId, n.owner, amount);
            }
            nodeId = n.parentNodeId;
        }
        CampaignLedger storage ledger = _ledgers[campaignId];
        ledger.pendingReserved -= vested;
        ledger.vestedUnclaimed += vested;
        if (native) {
            uint256 proceeds = s.amount - s.refundedTotal;
            ledger.proceedsPending -= proceeds;
            ledger.proceedsClaimable += proceeds;
        }
        emit SaleFinalized(saleId, campaignId);
    }

    // ───────────────────────────── reversing ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function reverse(
        SaleRef calldata saleRef,
        bytes32 reasonHash,
        uint64 deadline,
        bytes calldata attesterSignature
    ) external nonReentrant {
        (Campaign storage c, uint256 saleId, StoredSale storage s) = _saleOfCaller(saleRef);
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
        uint256 reversed;
        uint256 nodeId = s.nodeId;
        for (uint8 i; i < s.levels; ++i) {
            StoredNode storage n = _nodes[nodeId];
            Account storage account = _accounts[campaignId][n.owner];
            uint256 amount = _heldDown(s, i);
            if (amount != 0 && account.claims == s.claimsAtVesting[i]) {
                account.claimable -= amount;
                reversed += amount;
                emit RewardReversed(saleId, campaignId, i + 1, nodeId, n.owner, amount);
            }
            nodeId = n.parentNodeId;
        }
        CampaignLedger storage ledger = _ledgers[campaignId];
        ledger.vestedUnclaimed -= reversed;
        ledger.available += reversed;
        emit SaleReversed(saleId, campaignId, reasonHash);
    }

    // ───────────────────────────── inside ─────────────────────────────

    /// @dev Returns what a level now holds of its share, base units; `i` counts from 0.
    function _heldDown(StoredSale storage s, uint256 i) private view returns (uint256) {
        return Split.keptDown(s.shares[i], s.amount, s.refundedTotal);
    }
}
