// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IReferralTypes} from "../IReferralCommerce.sol";
import {Policies} from "./Policies.sol";
import {StoredLedger, StoredNode} from "./Stored.sol";

/// @title The split of one sale between the levels of its path
/// @notice Level 1 is the selling node. Every division rounds down. `splitReward` in `engine/core`
/// computes exactly the same numbers.
library Split {
    /// @notice Returns what a sale reserves for its path. A direct sale reserves nothing.
    /// @param nodes All nodes.
    /// @param ledger The campaign's ledger before the sale.
    /// @param policy The policy in effect.
    /// @param rule Its rule, as read before.
    /// @param nodeId The selling node; 0 for a direct sale.
    /// @param amount Amount of the sale, base units.
    /// @return pool The commission after the caps, base units.
    /// @return shares Base units, level 1 first.
    /// @return reserved Sum of the shares, base units.
    function quote(
        mapping(uint256 nodeId => StoredNode) storage nodes,
        StoredLedger storage ledger,
        Policies.Stored storage policy,
        Policies.Rule memory rule,
        uint256 nodeId,
        uint128 amount
    ) internal view returns (uint256 pool, uint256[] memory shares, uint256 reserved) {
        if (nodeId == 0) return (pool, shares, reserved);
        uint256 levels;
        uint256 depth = rule.maxRewardedAncestors;
        while (nodeId != 0 && levels < depth) {
            ++levels;
            nodeId = nodes[nodeId].parentNodeId;
        }
        uint256 gross;
        // An amount has at most 128 bits, and a rate 16.
        unchecked {
            gross = uint256(amount) * rule.commissionBps / Policies.BPS_WHOLE;
        }
        pool = Math.min(gross, ledger.available);
        if (rule.hasCap) {
            uint256 liabilityCap = Policies.capOf(policy.campaignLiabilityCap);
            uint256 liabilityLeft = Math.saturatingSub(liabilityCap, ledger.liability);
            pool = Math.min(pool, Math.min(Policies.capOf(policy.perSaleCap), liabilityLeft));
        }
        (shares, reserved) = sharesDown(rule, pool, levels);
    }

    /// @notice Divides a pool between levels. It depends on nothing that can change later, so a sale
    /// stores its pool and not its shares.
    /// @param rule The rule of the sale's policy.
    /// @param pool Base units, at most 128 bits.
    /// @param levels Rewarded levels that the path has.
    /// @return shares Base units, level 1 first. RENORMALIZE_EXISTING gives what rounding left to
    /// level 1; RETURN_UNUSED leaves it, and the absent levels' part, in the vault.
    /// @return reserved Sum of the shares, base units.
    function sharesDown(Policies.Rule memory rule, uint256 pool, uint256 levels)
        internal
        pure
        returns (uint256[] memory shares, uint256 reserved)
    {
        shares = new uint256[](levels);
        if (levels == 0) return (shares, 0);
        bool renormalize =
            rule.shortPathMode == IReferralTypes.ShortPathMode.RENORMALIZE_EXISTING;
        // A pool has at most 128 bits, and a weight 16. The weights are at most `whole` together, so
        // the shares are at most the pool together.
        unchecked {
            uint256 whole = renormalize ? 0 : Policies.BPS_WHOLE;
            if (renormalize) for (uint256 i; i < levels; ++i) whole += Policies.weightBps(rule, i);

            for (uint256 i; i < levels; ++i) {
                uint256 share = pool * Policies.weightBps(rule, i) / whole;
                shares[i] = share;
                reserved += share;
            }
            if (renormalize) {
                shares[0] += pool - reserved;
                reserved = pool;
            }
        }
    }

    /// @notice Returns what a level keeps of its share after refunds.
    /// @dev The product does not overflow: both factors have at most 128 bits.
    /// @param share The level's share when the sale was recorded, base units.
    /// @param amount Amount of the sale, base units, above zero.
    /// @param refundedTotal Sum of the refunds so far, base units.
    function keptDown(uint256 share, uint256 amount, uint256 refundedTotal)
        internal
        pure
        returns (uint256)
    {
        if (refundedTotal == 0) return share;
        // `refund` lets no more be refunded than the amount.
        unchecked {
            return share * (amount - refundedTotal) / amount;
        }
    }
}
