// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Orders} from "./Orders.sol";
import {Settlement} from "./Settlement.sol";
import {Amounts} from "./libraries/Amounts.sol";
import {Errors} from "./libraries/Errors.sol";
import {Policies} from "./libraries/Policies.sol";
import {StoredLedger, StoredNode} from "./libraries/Stored.sol";

/// @title The referral commerce protocol
/// @notice Merchants fund campaigns, and distributors join under one another. A sale reserves
/// rewards for the selling node and the nodes above it, until its hold is over.
/// @dev Read in this order: `IReferralCommerce` (types, events, functions), `CampaignStore`
/// (storage), `CampaignSetup` (what merchants call), `Campaigns` (funding and joining),
/// `Attestations` (signatures), `Sales` (recording), `Orders` (signed orders), `Settlement`
/// (refunding, finalizing, reversing), and this file (payments and views).
/// For every campaign, at any time:
/// netDeposited = available + pendingReserved + vestedUnclaimed + rewardsClaimed +
/// surplusWithdrawn;
/// sum of native sales = proceedsPending + proceedsClaimable + proceedsClaimed + buyerRefunded.
/// Rebasing tokens are not supported: the contract's balance must change by transfers alone.
contract ReferralCommerce is Orders, Settlement {
    // ───────────────────────────── paying out ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function claimRewards(uint256[] calldata campaignIds)
        external
        nonReentrant
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](campaignIds.length);
        for (uint256 i; i < campaignIds.length; ++i) {
            amounts[i] = _claim(campaignIds[i]);
        }
    }

    /// @inheritdoc IReferralCommerce
    function claimProceeds(uint256 campaignId) external nonReentrant returns (uint256 amount) {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        StoredLedger storage ledger = _ledgers[campaignId];
        amount = ledger.proceedsClaimable;
        if (amount == 0) revert Errors.NothingToClaim(campaignId, msg.sender);
        ledger.proceedsClaimable = 0;
        ledger.proceedsClaimed += amount;
        c.proceedsHeld -= uint128(amount);
        emit ProceedsClaimed(campaignId, msg.sender, amount);
        _pay(c.token, msg.sender, amount);
    }

    /// @inheritdoc IReferralCommerce
    function withdrawSurplus(uint256 campaignId, uint256 amount) external nonReentrant {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        if (c.flags & ENDED == 0 && block.timestamp < c.endsAt) {
            revert Errors.WrongState(campaignId, _state(campaignId, c));
        }
        if (amount == 0) revert Errors.ZeroAmount();
        StoredLedger storage ledger = _ledgers[campaignId];
        if (amount > ledger.available) {
            revert Errors.AmountAboveAvailable(campaignId, amount, ledger.available);
        }
        ledger.available -= uint128(amount);
        emit SurplusWithdrawn(campaignId, msg.sender, amount);
        _pay(c.token, msg.sender, amount);
    }

    /// @inheritdoc IReferralCommerce
    function withdrawCredit(uint256 campaignId, address to) external nonReentrant {
        StoredCampaign storage c = _campaign(campaignId);
        Account storage account = _accounts[campaignId][msg.sender];
        uint256 amount = account.credit;
        if (amount == 0) revert Errors.NothingCredited(campaignId, msg.sender);
        if (to == address(0)) revert Errors.ZeroAddress();
        account.credit = 0;
        _ledgers[campaignId].creditOutstanding -= amount;
        emit CreditWithdrawn(campaignId, msg.sender, to, amount);
        _pay(c.token, to, amount);
    }

    /// @dev Pays or credits the caller's claimable rewards of one campaign.
    function _claim(uint256 campaignId) private returns (uint256 amount) {
        Account storage account = _accounts[campaignId][msg.sender];
        amount = account.claimable;
        if (amount == 0) {
            bool unknown = _campaigns[campaignId].merchant == address(0);
            SkipReason reason = unknown ? SkipReason.UNKNOWN : SkipReason.NOTHING_CLAIMABLE;
            emit ClaimSkipped(campaignId, msg.sender, reason);
            return 0;
        }
        account.claimable = 0;
        ++account.claims;
        _ledgers[campaignId].rewardsClaimed += uint128(amount);
        emit RewardsClaimed(campaignId, msg.sender, amount);
        _payOrCredit(campaignId, _campaigns[campaignId].token, msg.sender, amount);
    }

    // ───────────────────────────── reading ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function campaign(uint256 campaignId) external view returns (Campaign memory) {
        StoredCampaign storage c = _campaign(campaignId);
        uint8 flags = c.flags;
        return Campaign({
            merchant: c.merchant,
            token: c.token,
            skuHash: c.skuHash,
            metadataHash: c.metadataHash,
            startsAt: c.startsAt,
            endsAt: c.endsAt,
            nodeCapacity: c.nodeCapacity,
            saleCapacity: c.saleCapacity,
            nodeCount: c.nodeCount,
            saleCount: c.saleCount,
            trustMode: c.trustMode,
            inviteOnly: c.inviteOnly,
            funded: flags & FUNDED != 0,
            paused: flags & PAUSED != 0,
            ended: flags & ENDED != 0,
            nodesPerAccount: c.nodesPerAccount,
            termsHash: c.termsHash
        });
    }

    /// @inheritdoc IReferralCommerce
    function campaignState(uint256 campaignId) external view returns (CampaignState) {
        return _state(campaignId, _campaign(campaignId));
    }

    /// @inheritdoc IReferralCommerce
    function campaignLedger(uint256 campaignId) external view returns (CampaignLedger memory) {
        StoredCampaign storage c = _campaign(campaignId);
        StoredLedger storage ledger = _ledgers[campaignId];
        return CampaignLedger({
            netDeposited: ledger.netDeposited,
            available: ledger.available,
            pendingReserved: ledger.liability - ledger.vested,
            vestedUnclaimed: ledger.vested - ledger.rewardsClaimed,
            rewardsClaimed: ledger.rewardsClaimed,
            surplusWithdrawn: ledger.netDeposited - ledger.liability - ledger.available,
            proceedsPending: c.proceedsHeld - ledger.proceedsClaimable,
            proceedsClaimable: ledger.proceedsClaimable,
            proceedsClaimed: ledger.proceedsClaimed,
            buyerRefunded: ledger.buyerRefunded,
            creditOutstanding: ledger.creditOutstanding
        });
    }

    /// @inheritdoc IReferralCommerce
    function claimableRewards(uint256 campaignId, address account) external view returns (uint256) {
        _campaign(campaignId);
        return _accounts[campaignId][account].claimable;
    }

    /// @inheritdoc IReferralCommerce
    function creditOf(uint256 campaignId, address account) external view returns (uint256) {
        _campaign(campaignId);
        return _accounts[campaignId][account].credit;
    }

    /// @inheritdoc IReferralCommerce
    function nodeCountOf(uint256 campaignId, address account) external view returns (uint256) {
        _campaign(campaignId);
        return _accounts[campaignId][account].nodeCount;
    }

    /// @inheritdoc IReferralCommerce
    function node(uint256 nodeId) external view returns (Node memory) {
        StoredNode storage n = _nodes[nodeId];
        if (n.campaignId == 0) revert Errors.UnknownNode(0, nodeId);
        return Node({campaignId: n.campaignId, parentNodeId: n.parentNodeId, owner: n.owner});
    }

    /// @inheritdoc IReferralCommerce
    function sale(uint256 saleId) external view returns (Sale memory) {
        StoredSale storage s = _sale(saleId);
        StoredCampaign storage c = _campaigns[s.campaignId];
        return Sale({
            campaignId: s.campaignId,
            buyer: s.buyer,
            nodeId: s.nodeId,
            amount: s.amount,
            refundedTotal: s.refundedTotal,
            shares: _sharesOf(s),
            policyVersion: s.policyVersion,
            holdUntil: s.holdUntil,
            finalizedAt: s.finalizedAt,
            status: s.status,
            attester: c.trustMode == TrustMode.MERCHANT_ATTESTED ? c.merchant : s.attester
        });
    }

    /// @inheritdoc IReferralCommerce
    function attesterLimits(uint256 campaignId, address account)
        external
        view
        returns (AttesterLimits memory)
    {
        _campaign(campaignId);
        StoredAttester storage attester = _attesters[campaignId][account];
        return AttesterLimits({
            perOrder: attester.perOrder,
            daily: attester.daily,
            expiry: attester.expiry,
            attestedToday: _attestedToday(attester)
        });
    }

    /// @inheritdoc IReferralCommerce
    function obligationsOf(address token) external view returns (uint256) {
        return _obligations[token];
    }

    /// @inheritdoc IReferralCommerce
    function policyAt(uint256 campaignId, uint256 timestamp)
        external
        view
        returns (PolicyVersion memory)
    {
        StoredCampaign storage c = _campaign(campaignId);
        (, uint256 version) = _ruleAt(campaignId, c, timestamp);
        return Policies.toView(_policies[campaignId][version], version, c.token);
    }

    /// @inheritdoc IReferralCommerce
    function policyCount(uint256 campaignId) external view returns (uint256) {
        return _campaign(campaignId).policyCount;
    }

    /// @inheritdoc IReferralCommerce
    function quoteSale(uint256 campaignId, uint256 nodeId, uint256 amount)
        external
        view
        returns (uint256 pool, uint256[] memory shares)
    {
        StoredCampaign storage c = _campaign(campaignId);
        _checkNode(campaignId, nodeId);
        (Policies.Rule memory rule, uint256 version) = _ruleAt(campaignId, c, block.timestamp);
        (pool, shares,) = _quote(campaignId, nodeId, Amounts.narrow(amount), rule, version);
    }
}
