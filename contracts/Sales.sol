// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Attestations} from "./Attestations.sol";
import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Errors} from "./libraries/Errors.sol";
import {DEPTH_MAX, Policies} from "./libraries/Policies.sol";
import {Split} from "./libraries/Split.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title Sales: recording them, and reserving their rewards
/// @dev A sale stores its shares as recorded. What a level holds now follows from its share and
/// from `refundedTotal`. The recipient follows from the node, whose parent and owner never change.
abstract contract Sales is Attestations {
    /// @dev A sale as stored. Only attested sales use `attester` and `claimsAtVesting`.
    struct StoredSale {
        address buyer;
        uint64 holdUntil;
        uint64 campaignId;
        uint64 nodeId;
        uint64 finalizedAt;
        uint32 policyVersion;
        SaleStatus status;
        uint8 levels;
        address attester;
        uint256 amount;
        uint256 refundedTotal;
        uint256[DEPTH_MAX] shares;
        /// Number of claims that each level's recipient had made in the campaign when it vested.
        uint48[DEPTH_MAX] claimsAtVesting;
    }

    /// @dev A sale about to be recorded.
    struct Order {
        uint256 campaignId;
        address buyer;
        uint256 nodeId;
        address nodeOwner;
        bytes32 orderKey;
        bytes32 skuHash;
    }

    /// @notice Number of sales in all campaigns; ids count from 1.
    uint48 public saleCount;

    /// @dev Sales by id.
    mapping(uint256 saleId => StoredSale) internal _sales;

    /// @notice The sale that a buyer's order key names in a campaign; 0 if the key is unused.
    mapping(uint256 campaignId => mapping(address buyer => mapping(bytes32 orderKey => uint48)))
        public saleIdOf;

    // ───────────────────────────── recording ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function buy(
        uint256 campaignId,
        bytes32 termsHash,
        uint256 nodeId,
        address nodeOwner,
        bytes32 skuHash,
        bytes32 orderKey,
        uint256 maxAmount,
        uint32 minPolicyVersion
    ) external nonReentrant returns (uint256 saleId) {
        Campaign storage c = _campaignWithTerms(campaignId, termsHash);
        if (c.trustMode != TrustMode.NATIVE_ONCHAIN) {
            revert Errors.WrongTrustMode(campaignId, c.trustMode);
        }
        Order memory order = Order(campaignId, msg.sender, nodeId, nodeOwner, orderKey, skuHash);
        saleId = _open(c, order);
        uint256 price = variantPrice[campaignId][skuHash];
        if (price == 0) revert Errors.UnknownSku(campaignId, skuHash);
        if (price > maxAmount) revert Errors.PriceAboveMax(price, maxAmount);
        (Policies.Stored storage policy, uint32 version) = _policyAt(campaignId, block.timestamp);
        if (version < minPolicyVersion) {
            revert Errors.PolicyTooOld(campaignId, version, minPolicyVersion);
        }

        // What arrives decides the split, so the other effects must follow the transfer. The
        // reentrancy guard keeps other calls out in between.
        uint256 amount = Transfers.pull(c.token, price);
        _addProceeds(campaignId, amount);
        _record(saleId, order, amount, policy, version);
    }

    /// @inheritdoc IReferralCommerce
    function recordAttestedSale(SaleAttestation calldata attestation, bytes calldata signature)
        external
        nonReentrant
        returns (uint256 saleId)
    {
        uint256 campaignId = attestation.campaignId;
        Campaign storage c = _campaignWithTerms(campaignId, attestation.termsHash);
        if (c.trustMode == TrustMode.NATIVE_ONCHAIN) {
            revert Errors.WrongTrustMode(campaignId, c.trustMode);
        }
        if (attestation.amount == 0) revert Errors.ZeroAmount();
        Order memory order = Order(
            campaignId,
            attestation.buyer,
            attestation.nodeId,
            attestation.nodeOwner,
            attestation.orderKey,
            attestation.skuHash
        );
        saleId = _open(c, order);
        address signer = _useAttestation(c, attestation, signature);
        _sales[saleId].attester = signer;
        emit SaleAttested(saleId, campaignId, signer, attestation.nonce);
        (Policies.Stored storage policy, uint32 version) = _policyAt(campaignId, block.timestamp);
        _record(saleId, order, attestation.amount, policy, version);
    }

    // ───────────────────────────── inside ─────────────────────────────

    /// @dev Returns the sale; reverts if there is none.
    function _sale(uint256 saleId) internal view returns (StoredSale storage s) {
        s = _sales[saleId];
        if (s.campaignId == 0) revert Errors.UnknownSale(saleId);
    }

    /// @dev Returns the sale that the caller names, and its campaign; reverts unless the caller is
    /// the campaign's merchant.
    function _saleOfCaller(SaleRef calldata saleRef)
        internal
        view
        returns (Campaign storage c, uint256 saleId, StoredSale storage s)
    {
        c = _campaignWithTerms(saleRef.campaignId, saleRef.termsHash);
        if (c.merchant != msg.sender) revert Errors.NotMerchant(saleRef.campaignId, msg.sender);
        saleId = saleIdOf[saleRef.campaignId][saleRef.buyer][saleRef.orderKey];
        if (saleId == 0) {
            revert Errors.UnknownOrder(saleRef.campaignId, saleRef.buyer, saleRef.orderKey);
        }
        s = _sales[saleId];
    }

    /// @dev Checks that a sale may be recorded now, and assigns its id.
    function _open(Campaign storage c, Order memory order) private returns (uint256 saleId) {
        uint256 campaignId = order.campaignId;
        CampaignState state = _state(campaignId, c);
        if (state != CampaignState.FUNDED_ACTIVE) revert Errors.WrongState(campaignId, state);
        if (block.timestamp < c.startsAt) revert Errors.NotStarted(campaignId, c.startsAt);
        if (c.saleCount >= c.saleCapacity) {
            revert Errors.SaleCapacityReached(campaignId, c.saleCapacity);
        }
        _checkNodeOwner(campaignId, order.nodeId, order.nodeOwner);
        if (saleIdOf[campaignId][order.buyer][order.orderKey] != 0) {
            revert Errors.OrderKeyUsed(campaignId, order.buyer, order.orderKey);
        }
        ++c.saleCount;
        saleId = ++saleCount;
        saleIdOf[campaignId][order.buyer][order.orderKey] = uint48(saleId);
    }

    /// @dev Adds a native sale to the proceeds. A token can claim that any amount arrived, so the
    /// sum of pending and claimable proceeds is bounded here: moving one to the other in `finalize`
    /// can then never overflow, which would revert the sales of other campaigns in the same list.
    function _addProceeds(uint256 campaignId, uint256 amount) private {
        CampaignLedger storage ledger = _ledgers[campaignId];
        uint256 pending = ledger.proceedsPending;
        if (amount > type(uint256).max - pending - ledger.proceedsClaimable) {
            revert Errors.ProceedsTooLarge(campaignId, amount);
        }
        ledger.proceedsPending = pending + amount;
    }

    /// @dev Reserves the path's rewards, stores the sale and emits SaleRecorded.
    function _record(
        uint256 saleId,
        Order memory order,
        uint256 amount,
        Policies.Stored storage policy,
        uint32 version
    ) private {
        (uint256 pool, uint256[] memory shares, uint256 reserved) =
            _quote(order.campaignId, order.nodeId, amount, policy);
        CampaignLedger storage ledger = _ledgers[order.campaignId];
        ledger.available -= reserved;
        ledger.pendingReserved += reserved;

        uint64 holdUntil = uint64(block.timestamp) + policy.holdSeconds;
        StoredSale storage s = _sales[saleId];
        s.buyer = order.buyer;
        s.holdUntil = holdUntil;
        s.campaignId = uint64(order.campaignId);
        s.nodeId = uint64(order.nodeId);
        s.policyVersion = version;
        s.levels = uint8(shares.length);
        s.amount = amount;
        for (uint256 i; i < shares.length; ++i) {
            if (shares[i] != 0) s.shares[i] = shares[i];
        }
        emit SaleRecorded(
            saleId,
            order.campaignId,
            order.buyer,
            order.nodeId,
            amount,
            pool,
            shares,
            version,
            holdUntil,
            order.orderKey,
            order.skuHash
        );
    }

    /// @dev Splits a sale under a policy, with the present ledger. A direct sale reserves nothing.
    function _quote(
        uint256 campaignId,
        uint256 nodeId,
        uint256 amount,
        Policies.Stored storage policy
    ) internal view returns (uint256 pool, uint256[] memory shares, uint256 reserved) {
        if (nodeId == 0) return (0, new uint256[](0), 0);
        uint256 levels;
        uint256 depth = policy.maxRewardedAncestors;
        while (nodeId != 0 && levels < depth) {
            ++levels;
            nodeId = _nodes[nodeId].parentNodeId;
        }
        CampaignLedger storage ledger = _ledgers[campaignId];
        uint256 liability = ledger.pendingReserved + ledger.vestedUnclaimed + ledger.rewardsClaimed;
        pool = Split.poolDown(policy, amount, liability, ledger.available);
        (shares, reserved) = Split.sharesDown(policy, pool, levels);
    }
}
