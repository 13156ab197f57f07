// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Errors} from "./Errors.sol";

/// @title Amounts of at most 128 bits, so that two of them share a storage slot
/// @notice Calls and events have amounts of 256 bits. Larger ones than these are refused where they
/// come in, so no sum of one campaign can overflow later, when others depend on it.
library Amounts {
    /// @notice Returns an amount as it is stored; reverts above 2^128 − 1.
    /// @param amount Base units.
    function narrow(uint256 amount) internal pure returns (uint128) {
        if (amount > type(uint128).max) revert Errors.AmountTooLarge(amount);
        return uint128(amount);
    }
}
