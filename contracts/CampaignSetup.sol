// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CampaignStore} from "./CampaignStore.sol";
import {ICampaignSetup} from "./IReferralCommerce.sol";
import {Amounts} from "./libraries/Amounts.sol";
import {Errors} from "./libraries/Errors.sol";
import {Policies} from "./libraries/Policies.sol";
import {TokenMetadata} from "./libraries/TokenMetadata.sol";

/// @title What merchants call to set up and manage campaigns
/// @notice `ReferralCommerce` deploys this code once, and runs it as its own: on its storage, with
/// the same caller. The two do not fit into one contract (EIP-170). Called directly, it changes only
/// its own storage, which nothing reads; no function of it moves tokens.
contract CampaignSetup is CampaignStore, ICampaignSetup {
    /// @dev Largest capacity: 2^53 − 1, the largest integer that every JSON reader holds exactly.
    uint64 private constant CAPACITY_MAX = 2 ** 53 - 1;
    /// @dev Number of nodes that one account may own, if the merchant sets no other limit.
    uint32 private constant NODES_PER_ACCOUNT_DEFAULT = 25;

    /// @inheritdoc ICampaignSetup
    function createCampaign(CampaignInput calldata input, Policy calldata policy)
        external
        nonReentrant
        returns (uint256 campaignId)
    {
        if (input.price == 0) revert Errors.ZeroAmount();
        Amounts.narrow(input.price);
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
        StoredCampaign storage c = _campaigns[campaignId];
        // Times are at most `TIME_MAX`, and capacities at most `CAPACITY_MAX`: they fit.
        c.termsHash = termsHash;
        c.token = input.token;
        c.startsAt = uint40(input.startsAt);
        c.endsAt = uint40(input.endsAt);
        c.trustMode = input.trustMode;
        c.saleCapacity = uint56(input.saleCapacity);
        c.merchant = msg.sender;
        c.nodesPerAccount =
            input.nodesPerAccount == 0 ? NODES_PER_ACCOUNT_DEFAULT : input.nodesPerAccount;
        c.nodeCapacity = uint56(input.nodeCapacity);
        c.inviteOnly = input.inviteOnly;
        c.skuHash = input.skuHash;
        c.metadataHash = input.metadataHash;
        variantPrice[campaignId][input.skuHash] = input.price;

        _emitCreated(campaignId, c, input);
        _addPolicy(campaignId, c, policy, uint64(block.timestamp));
    }

    /// @inheritdoc ICampaignSetup
    function setVariantPrice(uint256 campaignId, bytes32 skuHash, uint256 price)
        external
        nonReentrant
    {
        _campaignOfCaller(campaignId);
        if (price == 0) revert Errors.ZeroAmount();
        Amounts.narrow(price);
        variantPrice[campaignId][skuHash] = price;
        emit VariantPriced(campaignId, skuHash, price);
    }

    /// @inheritdoc ICampaignSetup
    function schedulePolicy(uint256 campaignId, Policy calldata policy, uint64 effectiveAt)
        external
        nonReentrant
    {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        uint256 earliest = block.timestamp + Policies.NOTICE_SECONDS;
        if (effectiveAt < earliest) revert Errors.EffectiveTooSoon(effectiveAt, earliest);
        // A version below the one in effect never takes effect, so it does not wait.
        (, uint256 version) = _ruleAt(campaignId, c, block.timestamp);
        if (c.policyCount - version >= Policies.WAITING_MAX) {
            revert Errors.TooManyPoliciesWaiting(campaignId);
        }
        _addPolicy(campaignId, c, policy, effectiveAt);
    }

    /// @inheritdoc ICampaignSetup
    function pause(uint256 campaignId) external nonReentrant {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        _checkRuns(campaignId, c);
        c.flags |= PAUSED;
        emit CampaignPaused(campaignId);
    }

    /// @inheritdoc ICampaignSetup
    function resume(uint256 campaignId) external nonReentrant {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        if (c.flags & (PAUSED | ENDED) != PAUSED) revert Errors.WrongState(campaignId, _state(campaignId, c));
        c.flags &= ~PAUSED;
        emit CampaignResumed(campaignId);
    }

    /// @inheritdoc ICampaignSetup
    function end(uint256 campaignId) external nonReentrant {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        if (c.flags & ENDED != 0) revert Errors.WrongState(campaignId, CampaignState.ENDED);
        c.flags |= ENDED;
        emit CampaignEnded(campaignId);
    }

    /// @inheritdoc ICampaignSetup
    function allowDistributor(uint256 campaignId, address account, bool allowed)
        external
        nonReentrant
    {
        _campaignOfCaller(campaignId);
        isDistributorAllowed[campaignId][account] = allowed;
        emit DistributorAllowed(campaignId, account, allowed);
    }

    /// @inheritdoc ICampaignSetup
    function allowAttester(
        uint256 campaignId,
        address account,
        uint256 perOrder,
        uint256 daily,
        uint64 expiry
    ) external nonReentrant {
        _campaignOfCaller(campaignId);
        if (expiry == 0) {
            (perOrder, daily) = (0, 0);
        } else {
            if (perOrder == 0 || daily == 0) revert Errors.ZeroAmount();
            Policies.checkTime(expiry);
            if (expiry <= block.timestamp) {
                revert Errors.AttesterExpiresTooSoon(expiry, block.timestamp);
            }
        }
        StoredAttester storage attester = _attesters[campaignId][account];
        attester.perOrder = Amounts.narrow(perOrder);
        attester.daily = Amounts.narrow(daily);
        attester.expiry = uint40(expiry);
        emit AttesterAllowed(campaignId, account, perOrder, daily, expiry);
    }

    /// @inheritdoc ICampaignSetup
    function raiseCapacity(uint256 campaignId, uint64 nodeCapacity, uint64 saleCapacity)
        external
        nonReentrant
    {
        StoredCampaign storage c = _campaignOfCaller(campaignId);
        _checkCapacity(nodeCapacity);
        _checkCapacity(saleCapacity);
        if (nodeCapacity < c.nodeCapacity) {
            revert Errors.CapacityFalls(c.nodeCapacity, nodeCapacity);
        }
        if (saleCapacity < c.saleCapacity) {
            revert Errors.CapacityFalls(c.saleCapacity, saleCapacity);
        }
        c.nodeCapacity = uint56(nodeCapacity);
        c.saleCapacity = uint56(saleCapacity);
        emit CapacityRaised(campaignId, nodeCapacity, saleCapacity);
    }

    // ───────────────────────────── inside ─────────────────────────────

    /// @dev Checks and stores the next version of the policy, and emits its event.
    function _addPolicy(
        uint256 campaignId,
        StoredCampaign storage c,
        Policy calldata policy,
        uint64 effectiveAt
    ) private {
        Policies.check(policy, c.token, effectiveAt);
        uint24 version = c.policyCount + 1;
        c.policyCount = version;
        (bytes32 eligibilityHash, bytes32 policyHash) =
            Policies.store(_policies[campaignId][version], policy, effectiveAt);
        emit PolicyScheduled(
            campaignId, version, effectiveAt, policy, eligibilityHash, policyHash
        );
    }

    /// @dev Emits CampaignCreated, with the decimals, symbol and name that the token reports.
    function _emitCreated(uint256 campaignId, StoredCampaign storage c, CampaignInput calldata input)
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
