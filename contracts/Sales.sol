// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Attestations} from "./Attestations.sol";
import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Amounts} from "./libraries/Amounts.sol";
import {Errors} from "./libraries/Errors.sol";
import {Payments} from "./libraries/Payments.sol";
import {DEPTH_MAX, Policies} from "./libraries/Policies.sol";
import {Split} from "./libraries/Split.sol";
import {StoredLedger, StoredNode} from "./libraries/Stored.sol";

/// @title Sales: recording them, and reserving their rewards
/// @dev A sale stores its pool. The share of a level follows from the pool, the policy version and
/// the number of levels; what the level holds now, from `refundedTotal` too; its recipient, from the
/// node, whose parent and owner never change.
abstract contract Sales is Attestations, IReferralCommerce {
    /// @dev A sale as stored. Each blank line begins a storage slot. Only sales of a path use the
    /// third before they are refunded, only those of a THIRD_PARTY_VERIFIED campaign the fourth.
    struct StoredSale {
        address buyer;
        uint48 campaignId;
        uint48 nodeId;

        uint128 amount;
        uint40 holdUntil;
        uint40 finalizedAt;
        uint32 policyVersion;
        SaleStatus status;
        uint8 levels;

        uint128 pool;
        uint128 refundedTotal;

        address attester;

        /// Number of claims that each level's recipient had made in the campaign when it vested, if
        /// the sale was attested.
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
        Order memory order = Order(campaignId, msg.sender, nodeId, nodeOwner, orderKey, skuHash);
        Payment memory payment;
        return _buy(order, termsHash, maxAmount, minPolicyVersion, payment, 0);
    }

    /// @inheritdoc IReferralCommerce
    function recordAttestedSale(SaleAttestation calldata attestation, bytes calldata signature)
        external
        nonReentrant
        returns (uint256 saleId)
    {
        uint256 campaignId = attestation.campaignId;
        StoredCampaign storage c = _campaignWithTerms(campaignId, attestation.termsHash);
        if (c.trustMode == TrustMode.NATIVE_ONCHAIN) {
            revert Errors.WrongTrustMode(campaignId, c.trustMode);
        }
        if (attestation.amount == 0) revert Errors.ZeroAmount();
        uint128 amount = Amounts.narrow(attestation.amount);
        Order memory order = Order(
            campaignId,
            attestation.buyer,
            attestation.nodeId,
            attestation.nodeOwner,
            attestation.orderKey,
            attestation.skuHash
        );
        (Policies.Rule memory rule, uint256 version) = _ruleAt(campaignId, c, block.timestamp);
        saleId = _open(c, rule, order);
        address signer = _useAttestation(c, attestation, signature);
        // In a MERCHANT_ATTESTED campaign it is the merchant, which never changes.
        if (c.trustMode == TrustMode.THIRD_PARTY_VERIFIED) _sales[saleId].attester = signer;
        emit SaleAttested(saleId, campaignId, signer, attestation.nonce);
        _record(saleId, order, amount, rule, version);
    }

    // ───────────────────────────── inside ─────────────────────────────

    /// @dev Sells to the buyer of an order, who consents to pay `maxAmount` at most.
    /// @param payment How to take the price.
    /// @param digest Digest of the buyer's signed order; unused if the buyer calls itself.
    function _buy(
        Order memory order,
        bytes32 termsHash,
        uint256 maxAmount,
        uint32 minPolicyVersion,
        Payment memory payment,
        bytes32 digest
    ) internal returns (uint256 saleId) {
        uint256 campaignId = order.campaignId;
        StoredCampaign storage c = _campaignWithTerms(campaignId, termsHash);
        if (c.trustMode != TrustMode.NATIVE_ONCHAIN) {
            revert Errors.WrongTrustMode(campaignId, c.trustMode);
        }
        (Policies.Rule memory rule, uint256 version) = _ruleAt(campaignId, c, block.timestamp);
        saleId = _open(c, rule, order);
        uint256 price = variantPrice[campaignId][order.skuHash];
        if (price == 0) revert Errors.UnknownSku(campaignId, order.skuHash);
        if (price > maxAmount) revert Errors.PriceAboveMax(price, maxAmount);
        if (version < minPolicyVersion) {
            revert Errors.PolicyTooOld(campaignId, uint32(version), minPolicyVersion);
        }

        // What arrives decides the split, so the other effects must follow the transfer. The
        // reentrancy guard keeps other calls out in between.
        address token = c.token;
        uint128 amount = Amounts.narrow(
            Payments.pull(token, order.buyer, price, maxAmount, payment, digest)
        );
        // A token can claim that any amount arrived. What pends and what is claimable are bounded
        // together, so that `finalize` cannot overflow, which would revert the sales of other
        // campaigns in the same list.
        c.proceedsHeld = Amounts.narrow(uint256(c.proceedsHeld) + amount);
        _obligations[token] += amount;
        _record(saleId, order, amount, rule, version);
    }

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
        returns (StoredCampaign storage c, uint256 saleId, StoredSale storage s)
    {
        c = _campaignWithTerms(saleRef.campaignId, saleRef.termsHash);
        _checkMerchant(saleRef.campaignId, c);
        saleId = saleIdOf[saleRef.campaignId][saleRef.buyer][saleRef.orderKey];
        if (saleId == 0) {
            revert Errors.UnknownOrder(saleRef.campaignId, saleRef.buyer, saleRef.orderKey);
        }
        s = _sales[saleId];
    }

    /// @dev Returns the shares of a sale as recorded, level 1 first, base units.
    function _sharesOf(StoredSale storage s) internal view returns (uint256[] memory shares) {
        uint256 levels = s.levels;
        if (levels == 0) return shares;
        (shares,) =
            Split.sharesDown(_policies[s.campaignId][s.policyVersion].rule, s.pool, levels);
    }

    /// @dev Checks that a sale may be recorded now, under the policy's rule, and assigns its id.
    function _open(StoredCampaign storage c, Policies.Rule memory rule, Order memory order)
        private
        returns (uint256 saleId)
    {
        uint256 campaignId = order.campaignId;
        CampaignState state = _stateUnder(c, rule);
        if (state != CampaignState.FUNDED_ACTIVE) revert Errors.WrongState(campaignId, state);
        if (block.timestamp < c.startsAt) revert Errors.NotStarted(campaignId, c.startsAt);
        if (c.saleCount >= c.saleCapacity) {
            revert Errors.SaleCapacityReached(campaignId, c.saleCapacity);
        }
        _checkNodeOwner(campaignId, order.nodeId, order.nodeOwner);
        mapping(bytes32 orderKey => uint48) storage orders = saleIdOf[campaignId][order.buyer];
        if (orders[order.orderKey] != 0) {
            revert Errors.OrderKeyUsed(campaignId, order.buyer, order.orderKey);
        }
        ++c.saleCount;
        saleId = ++saleCount;
        orders[order.orderKey] = uint48(saleId);
    }

    /// @dev Reserves the path's rewards, stores the sale and emits SaleRecorded.
    function _record(
        uint256 saleId,
        Order memory order,
        uint128 amount,
        Policies.Rule memory rule,
        uint256 version
    ) private {
        uint256 holdUntil = block.timestamp + rule.holdSeconds;
        (uint256 pool, uint256[] memory shares, uint256 reserved) =
            _quote(order.campaignId, order.nodeId, amount, rule, version);
        if (rule.excludesSelfReferral) _checkNoSelfReferral(order, shares.length);
        StoredSale storage s = _sales[saleId];
        // Ids come from counters of 48 bits; `pool` and `reserved` are at most `available`.
        s.buyer = order.buyer;
        s.campaignId = uint48(order.campaignId);
        s.nodeId = uint48(order.nodeId);
        s.amount = amount;
        s.holdUntil = uint40(holdUntil);
        s.policyVersion = uint32(version);
        s.levels = uint8(shares.length);
        if (pool != 0) {
            s.pool = uint128(pool);
            StoredLedger storage ledger = _ledgers[order.campaignId];
            ledger.available -= uint128(reserved);
            ledger.liability += uint128(reserved);
        }
        emit SaleRecorded(
            saleId,
            order.campaignId,
            order.buyer,
            order.nodeId,
            amount,
            pool,
            shares,
            uint32(version),
            uint64(holdUntil),
            order.orderKey,
            order.skuHash
        );
    }

    /// @dev Splits a sale under a policy, with the present ledger.
    function _quote(
        uint256 campaignId,
        uint256 nodeId,
        uint128 amount,
        Policies.Rule memory rule,
        uint256 version
    ) internal view returns (uint256 pool, uint256[] memory shares, uint256 reserved) {
        return Split.quote(
            _nodes,
            _ledgers[campaignId],
            _policies[campaignId][version],
            rule,
            nodeId,
            amount
        );
    }

    /// @dev Reverts if the buyer owns one of the nodes that the sale rewards.
    function _checkNoSelfReferral(Order memory order, uint256 levels) private view {
        uint256 nodeId = order.nodeId;
        for (uint256 i; i < levels; ++i) {
            StoredNode storage n = _nodes[nodeId];
            if (n.owner == order.buyer) {
                revert Errors.SelfReferral(order.campaignId, order.buyer, nodeId);
            }
            nodeId = n.parentNodeId;
        }
    }
}
