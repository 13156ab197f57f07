// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CampaignSetup} from "./CampaignSetup.sol";
import {CampaignStore} from "./CampaignStore.sol";
import {ICampaignSetup, IReferralCommerce} from "./IReferralCommerce.sol";
import {Amounts} from "./libraries/Amounts.sol";
import {Errors} from "./libraries/Errors.sol";
import {Payments} from "./libraries/Payments.sol";
import {StoredLedger, StoredNode} from "./libraries/Stored.sol";

/// @title Campaigns: funding and joining them; what the merchant calls is in `CampaignSetup`
abstract contract Campaigns is CampaignStore, IReferralCommerce {
    /// @notice Where the code of `CampaignSetup` is: this contract has deployed it, for ever.
    address public immutable campaignSetup = address(new CampaignSetup());

    // ───────────────────────────── by anyone ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function fund(uint256 campaignId, bytes32 termsHash, uint256 amount) external nonReentrant {
        Payment memory payment;
        _fund(campaignId, termsHash, msg.sender, amount, payment, 0);
    }

    // ───────────────────────────── by a distributor ─────────────────────────────

    /// @inheritdoc IReferralCommerce
    function join(uint256 campaignId, bytes32 termsHash, uint256 parentNodeId, address parentOwner)
        external
        nonReentrant
        returns (uint256 nodeId)
    {
        return _join(campaignId, termsHash, msg.sender, parentNodeId, parentOwner);
    }

    // ───────────────────────────── by the merchant ─────────────────────────────

    /// @inheritdoc ICampaignSetup
    function createCampaign(CampaignInput calldata input, Policy calldata policy)
        external
        returns (uint256 campaignId)
    {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function setVariantPrice(uint256 campaignId, bytes32 skuHash, uint256 price) external {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function schedulePolicy(uint256 campaignId, Policy calldata policy, uint64 effectiveAt)
        external
    {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function pause(uint256 campaignId) external {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function resume(uint256 campaignId) external {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function end(uint256 campaignId) external {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function allowDistributor(uint256 campaignId, address account, bool allowed) external {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function allowAttester(
        uint256 campaignId,
        address account,
        uint256 perOrder,
        uint256 daily,
        uint64 expiry
    ) external {
        _runSetup();
    }

    /// @inheritdoc ICampaignSetup
    function raiseCapacity(uint256 campaignId, uint64 nodeCapacity, uint64 saleCapacity) external {
        _runSetup();
    }

    // ───────────────────────────── inside ─────────────────────────────

    /// @dev Takes an account's tokens into the rewards vault of a campaign.
    /// @param payment How to take them.
    /// @param digest Digest of the account's order; unused if it calls itself.
    function _fund(
        uint256 campaignId,
        bytes32 termsHash,
        address account,
        uint256 amount,
        Payment memory payment,
        bytes32 digest
    ) internal {
        StoredCampaign storage c = _campaignWithTerms(campaignId, termsHash);
        if (amount == 0) revert Errors.ZeroAmount();
        if (c.flags & FUNDED == 0) {
            if (c.merchant != account) revert Errors.NotMerchant(campaignId, account);
            c.flags |= FUNDED;
        }
        address token = c.token;
        uint256 received = Amounts.narrow(
            Payments.pull(token, account, amount, amount, payment, digest)
        );
        StoredLedger storage ledger = _ledgers[campaignId];
        // As deposits bound all other sums of rewards, `received` fits where they do.
        ledger.netDeposited = Amounts.narrow(ledger.netDeposited + received);
        ledger.available += uint128(received);
        _obligations[token] += received;
        emit CampaignFunded(campaignId, account, received);
    }

    /// @dev Adds a node that an account owns.
    function _join(
        uint256 campaignId,
        bytes32 termsHash,
        address owner,
        uint256 parentNodeId,
        address parentOwner
    ) internal returns (uint256 nodeId) {
        StoredCampaign storage c = _campaignWithTerms(campaignId, termsHash);
        _checkRuns(campaignId, c);
        if (c.inviteOnly && !isDistributorAllowed[campaignId][owner]) {
            revert Errors.DistributorNotAllowed(campaignId, owner);
        }
        if (c.nodeCount >= c.nodeCapacity) {
            revert Errors.NodeCapacityReached(campaignId, c.nodeCapacity);
        }
        Account storage account = _accounts[campaignId][owner];
        if (account.nodeCount >= c.nodesPerAccount) {
            revert Errors.NodesPerAccountReached(campaignId, owner, c.nodesPerAccount);
        }
        _checkNodeOwner(campaignId, parentNodeId, parentOwner);

        ++account.nodeCount;
        ++c.nodeCount;
        nodeId = ++nodeCount;
        _nodes[nodeId] = StoredNode({
            owner: owner,
            campaignId: uint48(campaignId),
            parentNodeId: uint48(parentNodeId)
        });
        emit NodeJoined(campaignId, nodeId, parentNodeId, owner);
    }

    /// @dev Runs the present call in the code of `CampaignSetup`, on this contract's storage and for
    /// the same caller, and ends it with that result. Its functions guard against reentrancy.
    function _runSetup() private {
        address setup = campaignSetup;
        assembly ("memory-safe") {
            let input := mload(64)
            calldatacopy(input, 0, calldatasize())
            let success := delegatecall(gas(), setup, input, calldatasize(), 0, 0)
            returndatacopy(input, 0, returndatasize())
            if iszero(success) { revert(input, returndatasize()) }
            return(input, returndatasize())
        }
    }
}
