// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CampaignStore} from "./CampaignStore.sol";
import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Errors} from "./libraries/Errors.sol";
import {Policies} from "./libraries/Policies.sol";
import {TokenMetadata} from "./libraries/TokenMetadata.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title Campaigns: set-up and management by the merchant, and joining
abstract contract Campaigns is CampaignStore {
    using Policies for Policies.Stored[];

    /// @dev Largest capacity: 2^53 − 1, the largest integer that every JSON reader holds exactly.
    uint64 private constant CAPACITY_MAX = 2 ** 53 - 1;
    /// @dev Number of nodes that one account may own, if the merchant sets no other limit.
    uint32 private constant NODES_PER_ACCOUNT_DEFAULT = 25;

    // ───────────────────────────── by anyone ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function createCampaign(CampaignInput calldata input, Policy calldata policy)
        external
        nonReentrant
        returns (uint256 campaignId)
    {
        if (input.price == 0) revert Errors.ZeroAmount();
        Policies.checkTime(input.endsAt);
        if (input.endsAt <= input.startsAt || input.endsAt <= block.timestamp) {
            revert Errors.CampaignWindowEmpty(input.startsAt, input.endsAt);
        }
        _checkCapacity(input.nodeCapacity);
        _checkCapacity(input.saleCapacity);

        bytes32 termsHash = keccak256(
            abi.encode(
                msg.sender, input.token, input.trustMode, input.metadataHash, input.salt
            )
        );
        if (campaignIdOf[termsHash] != 0) revert Errors.TermsUsed(termsHash);

        campaignId = ++campaignCount;
        campaignIdOf[termsHash] = uint48(campaignId);
        Campaign storage c = _campaigns[campaignId];
        c.merchant = msg.sender;
        c.token = input.token;
        c.skuHash = input.skuHash;
        c.metadataHash = input.metadataHash;
        c.startsAt = input.startsAt;
        c.endsAt = input.endsAt;
        c.nodeCapacity = input.nodeCapacity;
        c.saleCapacity = input.saleCapacity;
        c.trustMode = input.trustMode;
        c.inviteOnly = input.inviteOnly;
        c.nodesPerAccount =
            input.nodesPerAccount == 0 ? NODES_PER_ACCOUNT_DEFAULT : input.nodesPerAccount;
        c.termsHash = termsHash;
        variantPrice[campaignId][input.skuHash] = input.price;

        _emitCreated(campaignId, c, input);
        _addPolicy(campaignId, c.token, policy, uint64(block.timestamp));
    }

    /// @inheritdoc IReferralCommerce
    function fund(uint256 campaignId, bytes32 termsHash, uint256 amount) external nonReentrant {
        Campaign storage c = _campaignWithTerms(campaignId, termsHash);
        if (amount == 0) revert Errors.ZeroAmount();
        if (!c.funded) {
            if (c.merchant != msg.sender) revert Errors.NotMerchant(campaignId, msg.sender);
            c.funded = true;
        }
        uint256 received = Transfers.pull(c.token, amount);
        CampaignLedger storage ledger = _ledgers[campaignId];
        ledger.netDeposited += received;
        ledger.available += received;
        emit CampaignFunded(campaignId, msg.sender, received);
    }

    // ───────────────────────────── by the merchant ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function setVariantPrice(uint256 campaignId, bytes32 skuHash, uint256 price)
        external
        nonReentrant
    {
        _campaignOfCaller(campaignId);
        if (price == 0) revert Errors.ZeroAmount();
        variantPrice[campaignId][skuHash] = price;
        emit VariantPriced(campaignId, skuHash, price);
    }

    /// @inheritdoc IReferralCommerce
    function schedulePolicy(uint256 campaignId, Policy calldata policy, uint64 effectiveAt)
        external
        nonReentrant
    {
        Campaign storage c = _campaignOfCaller(campaignId);
        uint256 earliest = block.timestamp + Policies.NOTICE_SECONDS;
        if (effectiveAt < earliest) revert Errors.EffectiveTooSoon(effectiveAt, earliest);
        if (_policies[campaignId].waitingAt(block.timestamp) >= Policies.WAITING_MAX) {
            revert Errors.TooManyPoliciesWaiting(campaignId);
        }
        _addPolicy(campaignId, c.token, policy, effectiveAt);
    }

    /// @inheritdoc IReferralCommerce
    function pause(uint256 campaignId) external nonReentrant {
        Campaign storage c = _campaignOfCaller(campaignId);
        CampaignState state = _state(campaignId, c);
        if (state != CampaignState.CREATED_UNFUNDED && state != CampaignState.FUNDED_ACTIVE) {
            revert Errors.WrongState(campaignId, state);
        }
        c.paused = true;
        emit CampaignPaused(campaignId);
    }

    /// @inheritdoc IReferralCommerce
    function resume(uint256 campaignId) external nonReentrant {
        Campaign storage c = _campaignOfCaller(campaignId);
        if (!c.paused || c.ended) revert Errors.WrongState(campaignId, _state(campaignId, c));
        c.paused = false;
        emit CampaignResumed(campaignId);
    }

    /// @inheritdoc IReferralCommerce
    function end(uint256 campaignId) external nonReentrant {
        Campaign storage c = _campaignOfCaller(campaignId);
        if (c.ended) revert Errors.WrongState(campaignId, CampaignState.ENDED);
        c.ended = true;
        emit CampaignEnded(campaignId);
    }

    /// @inheritdoc IReferralCommerce
    function allowDistributor(uint256 campaignId, address account, bool allowed)
        external
        nonReentrant
    {
        _campaignOfCaller(campaignId);
        isDistributorAllowed[campaignId][account] = allowed;
        emit DistributorAllowed(campaignId, account, allowed);
    }

    /// @inheritdoc IReferralCommerce
    function allowAttester(uint256 campaignId, address account, bool allowed)
        external
        nonReentrant
    {
        _campaignOfCaller(campaignId);
        isAttesterAllowed[campaignId][account] = allowed;
        emit AttesterAllowed(campaignId, account, allowed);
    }

    /// @inheritdoc IReferralCommerce
    function raiseCapacity(uint256 campaignId, uint64 nodeCapacity, uint64 saleCapacity)
        external
        nonReentrant
    {
        Campaign storage c = _campaignOfCaller(campaignId);
        _checkCapacity(nodeCapacity);
        _checkCapacity(saleCapacity);
        if (nodeCapacity < c.nodeCapacity) {
            revert Errors.CapacityFalls(c.nodeCapacity, nodeCapacity);
        }
        if (saleCapacity < c.saleCapacity) {
            revert Errors.CapacityFalls(c.saleCapacity, saleCapacity);
        }
        c.nodeCapacity = nodeCapacity;
        c.saleCapacity = saleCapacity;
        emit CapacityRaised(campaignId, nodeCapacity, saleCapacity);
    }

    // ───────────────────────────── by a distributor ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function join(uint256 campaignId, bytes32 termsHash, uint256 parentNodeId, address parentOwner)
        external
        nonReentrant
        returns (uint256 nodeId)
    {
        Campaign storage c = _campaignWithTerms(campaignId, termsHash);
        CampaignState state = _state(campaignId, c);
        if (state != CampaignState.CREATED_UNFUNDED && state != CampaignState.FUNDED_ACTIVE) {
            revert Errors.WrongState(campaignId, state);
        }
        if (c.inviteOnly && !isDistributorAllowed[campaignId][msg.sender]) {
            revert Errors.DistributorNotAllowed(campaignId, msg.sender);
        }
        if (c.nodeCount >= c.nodeCapacity) {
            revert Errors.NodeCapacityReached(campaignId, c.nodeCapacity);
        }
        Account storage account = _accounts[campaignId][msg.sender];
        if (account.nodeCount >= c.nodesPerAccount) {
            revert Errors.NodesPerAccountReached(campaignId, msg.sender, c.nodesPerAccount);
        }
        _checkNodeOwner(campaignId, parentNodeId, parentOwner);

        ++account.nodeCount;
        ++c.nodeCount;
        nodeId = ++nodeCount;
        _nodes[nodeId] = StoredNode({
            owner: msg.sender,
            campaignId: uint48(campaignId),
            parentNodeId: uint48(parentNodeId)
        });
        emit NodeJoined(campaignId, nodeId, parentNodeId, msg.sender);
    }

    // ───────────────────────────── inside ─────────────────────────────

    /// @dev Checks and stores the next version of the policy, and emits its event.
    function _addPolicy(
        uint256 campaignId,
        address token,
        Policy calldata policy,
        uint64 effectiveAt
    ) private {
        Policies.check(policy, token, effectiveAt);
        Policies.Stored[] storage versions = _policies[campaignId];
        Policies.Stored storage stored = versions.add(policy, effectiveAt);
        emit PolicyScheduled(
            campaignId,
            uint32(versions.length),
            effectiveAt,
            policy,
            stored.eligibilityHash,
            stored.policyHash
        );
    }

    /// @dev Emits CampaignCreated, with the decimals, symbol and name that the token reports.
    function _emitCreated(uint256 campaignId, Campaign storage c, CampaignInput calldata input)
        private
    {
        emit CampaignCreated(
            campaignId,
            msg.sender,
            input.token,
            TokenMetadata.decimalsOf(input.token),
            TokenMetadata.symbolOf(input.token),
            TokenMetadata.nameOf(input.token),
            input.price,
            input.skuHash,
            input.metadataHash,
            input.startsAt,
            input.endsAt,
            input.nodeCapacity,
            input.saleCapacity,
            input.trustMode,
            input.inviteOnly,
            c.nodesPerAccount,
            input.salt,
            c.termsHash
        );
    }

    /// @dev Reverts if a capacity is above 2^53 − 1.
    function _checkCapacity(uint64 capacity) private pure {
        if (capacity > CAPACITY_MAX) revert Errors.CapacityTooLarge(capacity);
    }
}
