// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../TestToken.sol";

/// @title A token that takes a fee of every transfer
contract FeeToken is TestToken {
    /// @notice The fee, basis points of what is sent.
    uint256 public feeBps;

    /// @notice Creates the token.
    /// @param feeBps_ The fee, basis points; 10000 lets nothing arrive.
    constructor(uint256 feeBps_) TestToken("Fee", "FEE", 6) {
        feeBps = feeBps_;
    }

    /// @dev Burns the fee on the way.
    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) || to == address(0) ? 0 : value * feeBps / 10_000;
        super._update(from, to, value - fee);
        if (fee != 0) super._update(from, address(0), fee);
    }
}
