// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ReentrancyGuardTransient} from
    "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Errors} from "./libraries/Errors.sol";
import {Policies} from "./libraries/Policies.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title Stored campaigns, and the checks that all other parts share
/// @dev Every function that changes state is `nonReentrant`, not only those that move tokens. So no
/// event of another call can appear between the events of one call.
abstract contract CampaignStore is IReferralCommerce, ReentrancyGuardTransient {
    using Policies for Policies.Stored[];

    /// @dev A node in one word; `parentNodeId` 0 is a root.
    struct StoredNode {
        address owner;
        uint48 campaignId;
        uint48 parentNodeId;
    }

    /// @dev What the contract knows of an account in a campaign. `claims` counts its claims of
    /// rewards, `nodeCount` its nodes; amounts are base units.
    struct Account {
        uint256 claimable;
        uint256 credit;
        uint48 claims;
        uint32 nodeCount;
    }

    /// @notice Number of campaigns; ids count from 1.
    uint48 public campaignCount;
    /// @notice Number of nodes in all campaigns; ids count from 1.
    uint48 public nodeCount;

    /// @dev Campaigns by id; every campaign has a merchant that is not zero.
    mapping(uint256 campaignId => Campaign) internal _campaigns;
    /// @dev Ledgers by campaign.
    mapping(uint256 campaignId => CampaignLedger) internal _ledgers;
    /// @dev Policy versions by campaign, version 1 first.
    mapping(uint256 campaignId => Policies.Stored[]) internal _policies;
    /// @dev Nodes by id; every node has a campaign that is not zero.
    mapping(uint256 nodeId => StoredNode) internal _nodes;

    /// @dev Accounts by campaign.
    mapping(uint256 campaignId => mapping(address account => Account)) internal _accounts;

    /// @notice The campaign with these terms; 0 if there is none.
    mapping(bytes32 termsHash => uint48) public campaignIdOf;
    /// @notice Price of a variant, base units; 0 if it is not for sale.
    mapping(uint256 campaignId => mapping(bytes32 skuHash => uint256)) public variantPrice;
    /// @notice True if the account may join the campaign, should it be invite-only.
    mapping(uint256 campaignId => mapping(address account => bool)) public isDistributorAllowed;
    /// @notice True if the account may attest sales of the campaign, should it be
    /// THIRD_PARTY_VERIFIED.
    mapping(uint256 campaignId => mapping(address account => bool)) public isAttesterAllowed;

    /// @dev Returns the campaign; reverts if there is none.
    function _campaign(uint256 campaignId) internal view returns (Campaign storage c) {
        c = _campaigns[campaignId];
        if (c.merchant == address(0)) revert Errors.UnknownCampaign(campaignId);
    }

    /// @dev Returns the campaign; reverts unless the caller is its merchant.
    function _campaignOfCaller(uint256 campaignId) internal view returns (Campaign storage c) {
        c = _campaign(campaignId);
        if (c.merchant != msg.sender) revert Errors.NotMerchant(campaignId, msg.sender);
    }

    /// @dev Returns the campaign; reverts unless it has the terms that the call names. Ids are
    /// counters, so after a reorg an id can belong to another campaign; the terms cannot.
    function _campaignWithTerms(uint256 campaignId, bytes32 termsHash)
        internal
        view
        returns (Campaign storage c)
    {
        c = _campaign(campaignId);
        if (c.termsHash != termsHash) {
            revert Errors.WrongTerms(campaignId, termsHash, c.termsHash);
        }
    }

    /// @dev Reverts unless the node is part of the campaign and belongs to the owner that the call
    /// names, or both are 0.
    function _checkNodeOwner(uint256 campaignId, uint256 nodeId, address owner) internal view {
        _checkNode(campaignId, nodeId);
        address actual = _nodes[nodeId].owner;
        if (actual != owner) revert Errors.WrongNodeOwner(nodeId, owner, actual);
    }

    /// @dev Reverts unless the node is part of the campaign, or 0.
    function _checkNode(uint256 campaignId, uint256 nodeId) internal view {
        if (nodeId != 0 && _nodes[nodeId].campaignId != campaignId) {
            revert Errors.UnknownNode(campaignId, nodeId);
        }
    }

    /// @dev Returns the present state of the campaign.
    function _state(uint256 campaignId, Campaign storage c)
        internal
        view
        returns (CampaignState)
    {
        if (c.ended) return CampaignState.ENDED;
        (Policies.Stored storage policy,) = _policyAt(campaignId, block.timestamp);
        if (block.timestamp >= c.endsAt || block.timestamp >= policy.expiry) {
            return CampaignState.EXPIRED;
        }
        if (c.paused) return CampaignState.PAUSED;
        return c.funded ? CampaignState.FUNDED_ACTIVE : CampaignState.CREATED_UNFUNDED;
    }

    /// @dev Returns the policy in effect at a time, and its version; reverts if there was none.
    function _policyAt(uint256 campaignId, uint256 timestamp)
        internal
        view
        returns (Policies.Stored storage policy, uint32 version)
    {
        Policies.Stored[] storage versions = _policies[campaignId];
        version = versions.versionAt(timestamp);
        if (version == 0) revert Errors.NoPolicyAt(campaignId, timestamp);
        policy = versions[version - 1];
    }

    /// @dev Pays an account, or credits the amount to it if the token refuses to pay it. The caller
    /// has taken the amount out of the ledgers and emitted that event right before.
    function _payOrCredit(uint256 campaignId, address token, address account, uint256 amount)
        internal
    {
        if (Transfers.trySend(token, account, amount)) return;
        _accounts[campaignId][account].credit += amount;
        _ledgers[campaignId].creditOutstanding += amount;
        emit PaymentCredited(campaignId, account, amount);
    }
}
