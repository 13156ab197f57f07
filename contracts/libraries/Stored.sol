// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev A node in one word; `parentNodeId` 0 is a root.
struct StoredNode {
    address owner;
    uint48 campaignId;
    uint48 parentNodeId;
}

/// @dev The sums of a campaign from which `campaignLedger` follows, base units; two to a slot. Most
/// calls change one slot, because what is vested stays part of the liability, and what is claimed
/// part of both. `surplusWithdrawn` is what is left of `netDeposited` without the first slot.
struct StoredLedger {
    uint128 available;
    /// pendingReserved + vestedUnclaimed + rewardsClaimed.
    uint128 liability;

    /// vestedUnclaimed + rewardsClaimed.
    uint128 vested;
    uint128 proceedsClaimable;

    uint128 rewardsClaimed;
    uint128 netDeposited;

    // A sum over all time of what a token says has no limit of 128 bits.
    uint256 proceedsClaimed;
    uint256 buyerRefunded;
    uint256 creditOutstanding;
}
