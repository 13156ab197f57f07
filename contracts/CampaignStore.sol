// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ReentrancyGuardTransient} from
    "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IReferralTypes} from "./IReferralCommerce.sol";
import {Errors} from "./libraries/Errors.sol";
import {Policies} from "./libraries/Policies.sol";
import {StoredLedger, StoredNode} from "./libraries/Stored.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title Stored campaigns, and the checks that all other parts share
/// @dev Every function that changes state is `nonReentrant`, not only those that move tokens. So no
/// event of another call can appear between the events of one call.
abstract contract CampaignStore is IReferralTypes, ReentrancyGuardTransient {
    /// @dev Flags of a campaign: the merchant has funded it, has paused it, has ended it.
    uint8 internal constant FUNDED = 1;
    uint8 internal constant PAUSED = 2;
    uint8 internal constant ENDED = 4;

    /// @dev A campaign as stored. Each blank line begins a storage slot; a sale reads the first
    /// three, and writes the third.
    struct StoredCampaign {
        bytes32 termsHash;

        address token;
        uint40 startsAt;
        uint40 endsAt;
        TrustMode trustMode;
        uint8 flags;

        /// proceedsPending + proceedsClaimable, base units.
        uint128 proceedsHeld;
        uint48 saleCount;
        uint56 saleCapacity;
        uint24 policyCount;

        address merchant;
        uint32 nodesPerAccount;
        uint56 nodeCapacity;

        uint48 nodeCount;
        bool inviteOnly;

        bytes32 skuHash;

        bytes32 metadataHash;
    }

    /// @dev What the contract knows of an account in a campaign. `claims` counts its claims of
    /// rewards, `nodeCount` its nodes; amounts are base units.
    struct Account {
        uint128 claimable;
        uint48 claims;
        uint32 nodeCount;

        uint256 credit;
    }

    /// @dev What an attester may attest, and what it attested on `day` (unix days); base units.
    struct StoredAttester {
        uint128 perOrder;
        uint128 daily;

        uint128 attested;
        uint40 day;
        uint40 expiry;
    }

    /// @notice Number of campaigns; ids count from 1.
    uint48 public campaignCount;
    /// @notice Number of nodes in all campaigns; ids count from 1.
    uint48 public nodeCount;
    /// @notice Number of sales in all campaigns; ids count from 1.
    uint48 public saleCount;

    /// @dev Campaigns by id; every campaign has a merchant that is not zero.
    mapping(uint256 campaignId => StoredCampaign) internal _campaigns;
    /// @dev Ledgers by campaign.
    mapping(uint256 campaignId => StoredLedger) internal _ledgers;
    /// @dev Policies by campaign and version; versions count from 1.
    mapping(uint256 campaignId => mapping(uint256 version => Policies.Stored)) internal _policies;
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
    /// @dev Attesters by campaign; only a THIRD_PARTY_VERIFIED campaign asks them.
    mapping(uint256 campaignId => mapping(address account => StoredAttester)) internal _attesters;
    /// @dev What the contract owes by token, base units.
    mapping(address token => uint256) internal _obligations;

    /// @dev Returns the campaign; reverts if there is none.
    function _campaign(uint256 campaignId) internal view returns (StoredCampaign storage c) {
        c = _campaigns[campaignId];
        if (c.merchant == address(0)) revert Errors.UnknownCampaign(campaignId);
    }

    /// @dev Returns the campaign; reverts unless the caller is its merchant.
    function _campaignOfCaller(uint256 campaignId) internal view returns (StoredCampaign storage c) {
        c = _campaign(campaignId);
        _checkMerchant(campaignId, c);
    }

    /// @dev Reverts unless the caller is the campaign's merchant.
    function _checkMerchant(uint256 campaignId, StoredCampaign storage c) internal view {
        if (c.merchant != msg.sender) revert Errors.NotMerchant(campaignId, msg.sender);
    }

    /// @dev Returns the campaign; reverts unless it has the terms that the call names. Ids are
    /// counters, so after a reorg an id can belong to another campaign; the terms cannot.
    function _campaignWithTerms(uint256 campaignId, bytes32 termsHash)
        internal
        view
        returns (StoredCampaign storage c)
    {
        c = _campaigns[campaignId];
        bytes32 actual = c.termsHash;
        // A campaign that does not exist has the terms 0.
        if (actual == 0) revert Errors.UnknownCampaign(campaignId);
        if (actual != termsHash) revert Errors.WrongTerms(campaignId, termsHash, actual);
    }

    /// @dev Reverts unless the node is part of the campaign and belongs to the owner that the call
    /// names, or both are 0.
    function _checkNodeOwner(uint256 campaignId, uint256 nodeId, address owner) internal view {
        _checkNode(campaignId, nodeId);
        address actual = nodeId == 0 ? address(0) : _nodes[nodeId].owner;
        if (actual != owner) revert Errors.WrongNodeOwner(nodeId, owner, actual);
    }

    /// @dev Reverts unless the node is part of the campaign, or 0.
    function _checkNode(uint256 campaignId, uint256 nodeId) internal view {
        if (nodeId != 0 && _nodes[nodeId].campaignId != campaignId) {
            revert Errors.UnknownNode(campaignId, nodeId);
        }
    }

    /// @dev Returns the present state of the campaign.
    function _state(uint256 campaignId, StoredCampaign storage c)
        internal
        view
        returns (CampaignState)
    {
        (Policies.Rule memory rule,) = _ruleAt(campaignId, c, block.timestamp);
        return _stateUnder(c, rule);
    }

    /// @dev Reverts if the campaign is paused, ended or expired.
    function _checkRuns(uint256 campaignId, StoredCampaign storage c) internal view {
        CampaignState state = _state(campaignId, c);
        if (state != CampaignState.CREATED_UNFUNDED && state != CampaignState.FUNDED_ACTIVE) {
            revert Errors.WrongState(campaignId, state);
        }
    }

    /// @dev Returns the present state of a campaign whose policy in effect has this rule.
    function _stateUnder(StoredCampaign storage c, Policies.Rule memory rule)
        internal
        view
        returns (CampaignState)
    {
        uint256 flags = c.flags;
        if (flags & ENDED != 0) return CampaignState.ENDED;
        if (block.timestamp >= c.endsAt || block.timestamp >= rule.expiry) {
            return CampaignState.EXPIRED;
        }
        if (flags & PAUSED != 0) return CampaignState.PAUSED;
        return flags & FUNDED != 0 ? CampaignState.FUNDED_ACTIVE : CampaignState.CREATED_UNFUNDED;
    }

    /// @dev Returns the rule of the policy in effect at a time, and its version: the highest whose
    /// `effectiveAt` is not after that time. Reverts if there was none. At most 4 versions wait, so
    /// a search at the present reads 5 at most.
    function _ruleAt(uint256 campaignId, StoredCampaign storage c, uint256 timestamp)
        internal
        view
        returns (Policies.Rule memory rule, uint256 version)
    {
        mapping(uint256 version => Policies.Stored) storage versions = _policies[campaignId];
        for (version = c.policyCount; version > 0; --version) {
            rule = versions[version].rule;
            if (rule.effectiveAt <= timestamp) return (rule, version);
        }
        revert Errors.NoPolicyAt(campaignId, timestamp);
    }

    /// @dev Pays an account; reverts if the token refuses. The caller has taken the amount out of the
    /// ledgers.
    function _pay(address token, address account, uint256 amount) internal {
        _obligations[token] -= amount;
        Transfers.send(token, account, amount);
    }

    /// @dev Pays an account, or credits the amount to it if the token refuses to pay it. The caller
    /// has taken the amount out of the ledgers and emitted that event right before.
    function _payOrCredit(uint256 campaignId, address token, address account, uint256 amount)
        internal
    {
        if (Transfers.trySend(token, account, amount)) {
            _obligations[token] -= amount;
            return;
        }
        _accounts[campaignId][account].credit += amount;
        _ledgers[campaignId].creditOutstanding += amount;
        emit PaymentCredited(campaignId, account, amount);
    }
}
