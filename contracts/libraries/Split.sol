// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IReferralCommerce} from "../IReferralCommerce.sol";
import {Policies} from "./Policies.sol";

/// @title The split of one sale between the levels of its path
/// @notice Level 1 is the selling node. Every division rounds down. `splitReward` in `engine/core`
/// computes exactly the same numbers.
library Split {
    /// @notice Returns what a sale reserves for its path.
    /// @param policy The policy in effect.
    /// @param amount Amount of the sale, base units.
    /// @param liability Rewards that the campaign owes or has paid before this sale, base units.
    /// @param available Base units in the vault that are not reserved.
    /// @return The commission after the caps, base units.
    function poolDown(
        Policies.Stored storage policy,
        uint256 amount,
        uint256 liability,
        uint256 available
    ) internal view returns (uint256) {
        uint256 gross = Math.mulDiv(amount, policy.commissionBps, Policies.BPS_WHOLE);
        uint256 liabilityLeft = Math.saturatingSub(policy.campaignLiabilityCap, liability);
        return Math.min(Math.min(gross, policy.perSaleCap), Math.min(liabilityLeft, available));
    }

    /// @notice Divides a pool between levels.
    /// @param policy The policy in effect.
    /// @param pool Base units.
    /// @param levels Rewarded levels that the path has; above 0.
    /// @return shares Base units, level 1 first. RENORMALIZE_EXISTING gives what rounding left to
    /// level 1; RETURN_UNUSED leaves it, and the absent levels' part, in the vault.
    /// @return reserved Sum of the shares, base units.
    function sharesDown(Policies.Stored storage policy, uint256 pool, uint256 levels)
        internal
        view
        returns (uint256[] memory shares, uint256 reserved)
    {
        bool renormalize =
            policy.shortPathMode == IReferralCommerce.ShortPathMode.RENORMALIZE_EXISTING;
        uint256 whole = renormalize ? 0 : Policies.BPS_WHOLE;
        if (renormalize) for (uint256 i; i < levels; ++i) whole += policy.weightsBps[i];

        shares = new uint256[](levels);
        for (uint256 i; i < levels; ++i) {
            shares[i] = Math.mulDiv(pool, policy.weightsBps[i], whole);
            reserved += shares[i];
        }
        if (renormalize) {
            shares[0] += pool - reserved;
            reserved = pool;
        }
    }

    /// @notice Returns what a level keeps of its share after refunds.
    /// @param share The level's share when the sale was recorded, base units.
    /// @param amount Amount of the sale, base units.
    /// @param refundedTotal Sum of the refunds so far, base units.
    function keptDown(uint256 share, uint256 amount, uint256 refundedTotal)
        internal
        pure
        returns (uint256)
    {
        return Math.mulDiv(share, amount - refundedTotal, amount);
    }
}
