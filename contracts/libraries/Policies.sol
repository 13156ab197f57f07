// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralCommerce} from "../IReferralCommerce.sol";
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

    /// @notice A version as it is stored; the version's number is its index plus one.
    struct Stored {
        uint64 effectiveAt;
        uint64 expiry;
        uint32 holdSeconds;
        uint16 commissionBps;
        uint8 maxRewardedAncestors;
        IReferralCommerce.ShortPathMode shortPathMode;
        uint16[DEPTH_MAX] weightsBps;
        uint256 perSaleCap;
        uint256 campaignLiabilityCap;
        bytes32 eligibilityHash;
        bytes32 policyHash;
    }

    /// @notice Reverts unless the policy is within bounds.
    /// @param policy The policy.
    /// @param token The campaign's token.
    /// @param effectiveAt When it takes effect, unix seconds.
    function check(IReferralCommerce.Policy calldata policy, address token, uint64 effectiveAt)
        internal
        pure
    {
        if (policy.rewardToken != token) {
            revert Errors.RewardTokenDiffers(policy.rewardToken, token);
        }
        if (policy.commissionBps == 0 || policy.commissionBps > BPS_WHOLE) {
            revert Errors.CommissionOutOfBounds(policy.commissionBps);
        }
        if (policy.perSaleCap == 0 || policy.campaignLiabilityCap == 0) revert Errors.ZeroCap();
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
    function hashesOf(IReferralCommerce.Policy calldata policy)
        internal
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
                eligibilityHash
            )
        );
    }

    /// @notice Appends a version; the caller has checked it.
    /// @param versions The campaign's versions.
    /// @param policy The policy.
    /// @param effectiveAt When it takes effect, unix seconds.
    /// @return stored The version as stored.
    function add(
        Stored[] storage versions,
        IReferralCommerce.Policy calldata policy,
        uint64 effectiveAt
    ) internal returns (Stored storage stored) {
        stored = versions.push();
        stored.effectiveAt = effectiveAt;
        stored.expiry = policy.expiry;
        stored.holdSeconds = policy.holdSeconds;
        stored.commissionBps = policy.commissionBps;
        stored.maxRewardedAncestors = policy.maxRewardedAncestors;
        stored.shortPathMode = policy.shortPathMode;
        for (uint256 i; i < policy.weightsBps.length; ++i) {
            stored.weightsBps[i] = policy.weightsBps[i];
        }
        stored.perSaleCap = policy.perSaleCap;
        stored.campaignLiabilityCap = policy.campaignLiabilityCap;
        (stored.eligibilityHash, stored.policyHash) = hashesOf(policy);
    }

    /// @notice Returns the highest version in effect at a time.
    /// @dev At most 4 versions wait, so a search at the present looks at 5 at most.
    /// @param versions The campaign's versions.
    /// @param timestamp Unix seconds.
    /// @return version The version, counted from 1; 0 if none was in effect.
    function versionAt(Stored[] storage versions, uint256 timestamp)
        internal
        view
        returns (uint32 version)
    {
        version = uint32(versions.length);
        while (version > 0 && versions[version - 1].effectiveAt > timestamp) --version;
    }

    /// @notice Returns how many versions wait to take effect.
    /// @dev A version below the one in effect never takes effect, so it does not wait.
    /// @param versions The campaign's versions.
    /// @param timestamp Unix seconds.
    function waitingAt(Stored[] storage versions, uint256 timestamp)
        internal
        view
        returns (uint256)
    {
        return versions.length - versionAt(versions, timestamp);
    }

    /// @notice Converts a stored version to what views return.
    /// @param stored The version as stored.
    /// @param version Its number.
    /// @param token The campaign's token.
    /// @return The fields that `policyHash` encodes, and the hash.
    function toView(Stored storage stored, uint32 version, address token)
        internal
        view
        returns (IReferralCommerce.PolicyVersion memory)
    {
        uint16[] memory weightsBps = new uint16[](stored.maxRewardedAncestors);
        for (uint256 i; i < weightsBps.length; ++i) weightsBps[i] = stored.weightsBps[i];
        return IReferralCommerce.PolicyVersion({
            version: version,
            effectiveAt: stored.effectiveAt,
            rewardToken: token,
            commissionBps: stored.commissionBps,
            perSaleCap: stored.perSaleCap,
            campaignLiabilityCap: stored.campaignLiabilityCap,
            maxRewardedAncestors: stored.maxRewardedAncestors,
            weightsBps: weightsBps,
            shortPathMode: stored.shortPathMode,
            holdSeconds: stored.holdSeconds,
            expiry: stored.expiry,
            eligibilityHash: stored.eligibilityHash,
            policyHash: stored.policyHash
        });
    }

    /// @dev One weight per rewarded ancestor, each above zero, 10000 together.
    function _checkWeights(IReferralCommerce.Policy calldata policy) private pure {
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
