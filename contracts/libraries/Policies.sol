// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralTypes} from "../IReferralCommerce.sol";
import {Errors} from "./Errors.sol";

/// @dev Largest number of levels of a path that a policy rewards.
uint256 constant DEPTH_MAX = 5;

/// @title Versions of a campaign's reward policy
/// @notice Bounds, hashes and storage. Only the event has the two lists of a policy. The contract
/// stores what a split needs, and hashes that cover the rest.
library Policies {
    /// @notice 100 %, in basis points.
    uint256 internal constant BPS_WHOLE = 10_000;
    /// @notice Shortest hold, seconds.
    uint256 internal constant HOLD_SECONDS_MIN = 60;
    /// @notice Longest hold, seconds: 90 days.
    uint256 internal constant HOLD_SECONDS_MAX = 7_776_000;
    /// @notice Largest number of entries in a list.
    uint256 internal constant LIST_ENTRIES_MAX = 32;
    /// @notice Largest number of bytes in a string.
    uint256 internal constant STRING_BYTES_MAX = 64;
    /// @notice Least time between scheduling a later version and its effect, seconds.
    uint256 internal constant NOTICE_SECONDS = 3_600;
    /// @notice Largest number of versions that wait to take effect.
    uint256 internal constant WAITING_MAX = 4;
    /// @notice Latest time that the protocol accepts, unix seconds: the end of the year 9999.
    uint64 internal constant TIME_MAX = 253_402_300_799;

    /// @notice What almost every call needs of a policy, in one storage slot. `weightsBps` has 16
    /// bits for each level, level 1 in the lowest.
    struct Rule {
        uint40 effectiveAt;
        uint40 expiry;
        uint32 holdSeconds;
        uint16 commissionBps;
        uint8 maxRewardedAncestors;
        IReferralTypes.ShortPathMode shortPathMode;
        bool excludesSelfReferral;
        bool hasCap;
        uint80 weightsBps;
    }

    /// @notice A version as it is stored, never changed later. A cap of 2^128 − 1 means no cap.
    struct Stored {
        Rule rule;
        uint128 perSaleCap;
        uint128 campaignLiabilityCap;
        bytes32 eligibilityHash;
        bytes32 policyHash;
    }

    /// @notice Reverts unless the policy is within bounds.
    /// @param policy The policy.
    /// @param token The campaign's token.
    /// @param effectiveAt When it takes effect, unix seconds.
    function check(IReferralTypes.Policy calldata policy, address token, uint64 effectiveAt)
        internal
        pure
    {
        if (policy.rewardToken != token) {
            revert Errors.RewardTokenDiffers(policy.rewardToken, token);
        }
        if (policy.commissionBps == 0 || policy.commissionBps > BPS_WHOLE) {
            revert Errors.CommissionOutOfBounds(policy.commissionBps);
        }
        _checkCap(policy.perSaleCap);
        _checkCap(policy.campaignLiabilityCap);
        if (policy.holdSeconds < HOLD_SECONDS_MIN || policy.holdSeconds > HOLD_SECONDS_MAX) {
            revert Errors.HoldOutOfBounds(policy.holdSeconds);
        }
        checkTime(effectiveAt);
        checkTime(policy.expiry);
        if (policy.expiry <= effectiveAt) {
            revert Errors.PolicyExpiresTooSoon(policy.expiry, effectiveAt);
        }
        _checkWeights(policy);
        _checkList(policy.regions);
        _checkList(policy.sharingRules);
    }

    /// @notice Reverts if a time is after the year 9999.
    /// @param time Unix seconds.
    function checkTime(uint64 time) internal pure {
        if (time > TIME_MAX) revert Errors.TimeTooLate(time);
    }

    /// @notice Returns the two hashes of a policy.
    /// @param policy The policy.
    /// @return eligibilityHash keccak256 of its two lists.
    /// @return policyHash keccak256 of its other fields, in their order, and `eligibilityHash`.
    function hashesOf(IReferralTypes.Policy calldata policy)
        private
        pure
        returns (bytes32 eligibilityHash, bytes32 policyHash)
    {
        eligibilityHash = keccak256(abi.encode(policy.regions, policy.sharingRules));
        policyHash = keccak256(
            abi.encode(
                policy.rewardToken,
                policy.commissionBps,
                policy.perSaleCap,
                policy.campaignLiabilityCap,
                policy.maxRewardedAncestors,
                policy.weightsBps,
                policy.shortPathMode,
                policy.holdSeconds,
                policy.expiry,
                policy.excludesSelfReferral,
                eligibilityHash
            )
        );
    }

    /// @notice Stores a version; the caller has checked it.
    /// @param stored Where.
    /// @param policy The policy.
    /// @param effectiveAt When it takes effect, unix seconds.
    /// @return eligibilityHash keccak256 of its two lists.
    /// @return policyHash keccak256 of its other fields, in their order, and `eligibilityHash`.
    function store(
        Stored storage stored,
        IReferralTypes.Policy calldata policy,
        uint64 effectiveAt
    ) internal returns (bytes32 eligibilityHash, bytes32 policyHash) {
        uint80 weightsBps;
        for (uint256 i; i < policy.weightsBps.length; ++i) {
            weightsBps |= uint80(policy.weightsBps[i]) << uint80(16 * i);
        }
        bool hasCap = policy.perSaleCap != type(uint256).max
            || policy.campaignLiabilityCap != type(uint256).max;
        // `check` has bounded the times by `TIME_MAX`, which has 38 bits.
        stored.rule = Rule({
            effectiveAt: uint40(effectiveAt),
            expiry: uint40(policy.expiry),
            holdSeconds: policy.holdSeconds,
            commissionBps: policy.commissionBps,
            maxRewardedAncestors: policy.maxRewardedAncestors,
            shortPathMode: policy.shortPathMode,
            excludesSelfReferral: policy.excludesSelfReferral,
            hasCap: hasCap,
            weightsBps: weightsBps
        });
        // Either at most 2^128 − 2 or 2^256 − 1, so that the lower half says which.
        stored.perSaleCap = uint128(policy.perSaleCap);
        stored.campaignLiabilityCap = uint128(policy.campaignLiabilityCap);
        (eligibilityHash, policyHash) = hashesOf(policy);
        stored.eligibilityHash = eligibilityHash;
        stored.policyHash = policyHash;
    }

    /// @notice Returns the weight of a level, basis points.
    /// @param rule The policy's rule.
    /// @param i The level, counted from 0.
    function weightBps(Rule memory rule, uint256 i) internal pure returns (uint256) {
        return (rule.weightsBps >> (16 * i)) & 0xFFFF;
    }

    /// @notice Returns a cap as calls and events have it: 2^256 − 1 for no cap.
    /// @param cap The cap as stored.
    function capOf(uint128 cap) internal pure returns (uint256) {
        return cap == type(uint128).max ? type(uint256).max : cap;
    }

    /// @notice Converts a stored version to what views return.
    /// @param stored The version as stored.
    /// @param version Its number.
    /// @param token The campaign's token.
    /// @return The fields that `policyHash` encodes, and the hash.
    function toView(Stored storage stored, uint256 version, address token)
        internal
        view
        returns (IReferralTypes.PolicyVersion memory)
    {
        Rule memory rule = stored.rule;
        uint16[] memory weightsBps = new uint16[](rule.maxRewardedAncestors);
        for (uint256 i; i < weightsBps.length; ++i) weightsBps[i] = uint16(weightBps(rule, i));
        return IReferralTypes.PolicyVersion({
            version: uint32(version),
            effectiveAt: rule.effectiveAt,
            rewardToken: token,
            commissionBps: rule.commissionBps,
            perSaleCap: capOf(stored.perSaleCap),
            campaignLiabilityCap: capOf(stored.campaignLiabilityCap),
            maxRewardedAncestors: rule.maxRewardedAncestors,
            weightsBps: weightsBps,
            shortPathMode: rule.shortPathMode,
            holdSeconds: rule.holdSeconds,
            expiry: rule.expiry,
            excludesSelfReferral: rule.excludesSelfReferral,
            eligibilityHash: stored.eligibilityHash,
            policyHash: stored.policyHash
        });
    }

    /// @dev Above zero, and at most 2^128 − 2, or no cap.
    function _checkCap(uint256 cap) private pure {
        if (cap == 0) revert Errors.ZeroCap();
        if (cap >= type(uint128).max && cap != type(uint256).max) revert Errors.CapTooLarge(cap);
    }

    /// @dev One weight per rewarded ancestor, each above zero, 10000 together.
    function _checkWeights(IReferralTypes.Policy calldata policy) private pure {
        uint8 depth = policy.maxRewardedAncestors;
        if (depth == 0 || depth > DEPTH_MAX) revert Errors.DepthOutOfBounds(depth);
        if (policy.weightsBps.length != depth) {
            revert Errors.WeightCountWrong(policy.weightsBps.length, depth);
        }
        uint256 sum;
        for (uint256 i; i < depth; ++i) {
            if (policy.weightsBps[i] == 0) revert Errors.ZeroWeight(i + 1);
            sum += policy.weightsBps[i];
        }
        if (sum != BPS_WHOLE) revert Errors.WeightSumWrong(sum);
    }

    /// @dev At most 32 entries of at most 64 bytes.
    function _checkList(string[] calldata list) private pure {
        if (list.length > LIST_ENTRIES_MAX) revert Errors.ListTooLong(list.length);
        for (uint256 i; i < list.length; ++i) {
            uint256 length = bytes(list[i]).length;
            if (length > STRING_BYTES_MAX) revert Errors.TextTooLong(length);
        }
    }
}
