// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../TestToken.sol";

/// @title A token that accepts every call that it does not know, as wrapped ether does
contract FallbackToken is TestToken {
    /// @notice Creates the token.
    constructor() TestToken("Wrapped", "WRAP", 18) {}

    /// @notice Does nothing.
    fallback() external {}
}
