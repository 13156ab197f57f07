// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Campaigns} from "./Campaigns.sol";
import {Settlement} from "./Settlement.sol";
import {Errors} from "./libraries/Errors.sol";
import {Policies} from "./libraries/Policies.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title The referral commerce protocol
/// @notice Merchants fund campaigns, and distributors join under one another. A sale reserves
/// rewards for the selling node and the nodes above it, until its hold is over.
/// @dev Read in this order: `IReferralCommerce` (types, events), `CampaignStore` (storage),
/// `Campaigns` (setting up and joining), `Attestations` (signatures), `Sales` (recording),
/// `Settlement` (refunding, finalizing, reversing), and this file (payments and views).
/// For every campaign, at any time:
/// netDeposited = available + pendingReserved + vestedUnclaimed + rewardsClaimed +
/// surplusWithdrawn;
/// sum of native sales = proceedsPending + proceedsClaimable + proceedsClaimed + buyerRefunded.
/// Rebasing tokens are not supported: the contract's balance must change by transfers alone.
contract ReferralCommerce is Campaigns, Settlement {
    // ───────────────────────────── paying out ─────────────────────────────

    /// @notice Pays the caller all its claimable rewards of the campaigns, or credits them if the
    /// token refuses to pay the caller. Skips campaigns where there is nothing to claim, and emits
    /// which; so a campaign that is named twice is paid once.
    /// @param campaignIds The campaigns, in any state.
    /// @return amounts Base units of each campaign's token, in the order of the list.
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

    /// @notice Pays the merchant all proceeds of finalized sales of a campaign.
    /// @param campaignId The campaign, in any state.
    /// @return amount Base units sent.
    function claimProceeds(uint256 campaignId) external nonReentrant returns (uint256 amount) {
        Campaign storage c = _campaignOfCaller(campaignId);
        CampaignLedger storage ledger = _ledgers[campaignId];
        amount = ledger.proceedsClaimable;
        if (amount == 0) revert Errors.NothingToClaim(campaignId, msg.sender);
        ledger.proceedsClaimable = 0;
        ledger.proceedsClaimed += amount;
        emit ProceedsClaimed(campaignId, msg.sender, amount);
        Transfers.send(c.token, msg.sender, amount);
    }

    /// @notice Pays the merchant what is not reserved, once the campaign can sell no more. An
    /// expired policy is not enough, because a later version can revive the campaign.
    /// @param campaignId The campaign, ended or past its `endsAt`.
    /// @param amount Base units, above zero, at most what is available.
    function withdrawSurplus(uint256 campaignId, uint256 amount) external nonReentrant {
        Campaign storage c = _campaignOfCaller(campaignId);
        if (!c.ended && block.timestamp < c.endsAt) {
            revert Errors.WrongState(campaignId, _state(campaignId, c));
        }
        if (amount == 0) revert Errors.ZeroAmount();
        CampaignLedger storage ledger = _ledgers[campaignId];
        if (amount > ledger.available) {
            revert Errors.AmountAboveAvailable(campaignId, amount, ledger.available);
        }
        ledger.available -= amount;
        ledger.surplusWithdrawn += amount;
        emit SurplusWithdrawn(campaignId, msg.sender, amount);
        Transfers.send(c.token, msg.sender, amount);
    }

    /// @notice Pays the caller's whole credit in a campaign to an address of its choice; reverts if
    /// the token refuses to pay that address.
    /// @param campaignId The campaign, in any state.
    /// @param to The recipient.
    function withdrawCredit(uint256 campaignId, address to) external nonReentrant {
        Campaign storage c = _campaign(campaignId);
        Account storage account = _accounts[campaignId][msg.sender];
        uint256 amount = account.credit;
        if (amount == 0) revert Errors.NothingCredited(campaignId, msg.sender);
        if (to == address(0)) revert Errors.ZeroAddress();
        account.credit = 0;
        _ledgers[campaignId].creditOutstanding -= amount;
        emit CreditWithdrawn(campaignId, msg.sender, to, amount);
        Transfers.send(c.token, to, amount);
    }

    /// @dev Pays or credits the caller's claimable rewards of one campaign.
    function _claim(uint256 campaignId) private returns (uint256 amount) {
        address token = _campaigns[campaignId].token;
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
        CampaignLedger storage ledger = _ledgers[campaignId];
        ledger.vestedUnclaimed -= amount;
        ledger.rewardsClaimed += amount;
        emit RewardsClaimed(campaignId, msg.sender, amount);
        _payOrCredit(campaignId, token, msg.sender, amount);
    }

    // ───────────────────────────── reading ─────────────────────────────

    /// @notice Returns a campaign, with its counters and flags.
    /// @param campaignId The campaign.
    function campaign(uint256 campaignId) external view returns (Campaign memory) {
        return _campaign(campaignId);
    }

    /// @notice Returns the present state of a campaign.
    /// @param campaignId The campaign.
    function campaignState(uint256 campaignId) external view returns (CampaignState) {
        return _state(campaignId, _campaign(campaignId));
    }

    /// @notice Returns the eleven sums of a campaign, base units.
    /// @param campaignId The campaign.
    function campaignLedger(uint256 campaignId) external view returns (CampaignLedger memory) {
        _campaign(campaignId);
        return _ledgers[campaignId];
    }

    /// @notice Returns what `claimRewards` would pay an account, base units.
    /// @param campaignId The campaign.
    /// @param account The recipient.
    function claimableRewards(uint256 campaignId, address account) external view returns (uint256) {
        _campaign(campaignId);
        return _accounts[campaignId][account].claimable;
    }

    /// @notice Returns what `withdrawCredit` would pay an account, base units.
    /// @param campaignId The campaign.
    /// @param account The account.
    function creditOf(uint256 campaignId, address account) external view returns (uint256) {
        _campaign(campaignId);
        return _accounts[campaignId][account].credit;
    }

    /// @notice Returns how many nodes of a campaign an account owns.
    /// @param campaignId The campaign.
    /// @param account The account.
    function nodeCountOf(uint256 campaignId, address account) external view returns (uint256) {
        _campaign(campaignId);
        return _accounts[campaignId][account].nodeCount;
    }

    /// @notice Returns a node.
    /// @param nodeId The node.
    function node(uint256 nodeId) external view returns (Node memory) {
        StoredNode storage n = _nodes[nodeId];
        if (n.campaignId == 0) revert Errors.UnknownNode(0, nodeId);
        return Node({campaignId: n.campaignId, parentNodeId: n.parentNodeId, owner: n.owner});
    }

    /// @notice Returns a sale.
    /// @param saleId The sale.
    function sale(uint256 saleId) external view returns (Sale memory) {
        StoredSale storage s = _sale(saleId);
        uint256[] memory shares = new uint256[](s.levels);
        for (uint256 i; i < shares.length; ++i) shares[i] = s.shares[i];
        return Sale({
            campaignId: s.campaignId,
            buyer: s.buyer,
            nodeId: s.nodeId,
            amount: s.amount,
            refundedTotal: s.refundedTotal,
            shares: shares,
            policyVersion: s.policyVersion,
            holdUntil: s.holdUntil,
            finalizedAt: s.finalizedAt,
            status: s.status,
            attester: s.attester
        });
    }

    /// @notice Returns the policy version in effect at a time: the highest whose `effectiveAt` is
    /// not after that time.
    /// @param campaignId The campaign.
    /// @param timestamp Unix seconds; a future time gets the version that is scheduled so far.
    function policyAt(uint256 campaignId, uint256 timestamp)
        external
        view
        returns (PolicyVersion memory)
    {
        Campaign storage c = _campaign(campaignId);
        (Policies.Stored storage policy, uint32 version) = _policyAt(campaignId, timestamp);
        return Policies.toView(policy, version, c.token);
    }

    /// @notice Returns the number of policy versions of a campaign, including those not in effect
    /// yet.
    /// @param campaignId The campaign.
    function policyCount(uint256 campaignId) external view returns (uint256) {
        _campaign(campaignId);
        return _policies[campaignId].length;
    }

    /// @notice Returns what a sale would reserve now, even if the campaign does not sell now.
    /// @param campaignId The campaign.
    /// @param nodeId The selling node, or 0 for a direct sale.
    /// @param amount Base units that the contract would receive.
    /// @return pool Commission after the caps, base units.
    /// @return shares Share of each rewarded level, level 1 first, base units.
    function quoteSale(uint256 campaignId, uint256 nodeId, uint256 amount)
        external
        view
        returns (uint256 pool, uint256[] memory shares)
    {
        _campaign(campaignId);
        _checkNode(campaignId, nodeId);
        (Policies.Stored storage policy,) = _policyAt(campaignId, block.timestamp);
        (pool, shares,) = _quote(campaignId, nodeId, amount, policy);
    }
}
