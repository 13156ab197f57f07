// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {TestToken} from "../TestToken.sol";

/// @title A token that changes an allowance from or to zero only, as USDT on Ethereum does
contract CautiousToken is TestToken {
    /// @notice Creates the token.
    constructor() TestToken("Cautious", "CAU", 6) {}

    /// @inheritdoc ERC20
    function approve(address spender, uint256 value) public override returns (bool) {
        require(value == 0 || allowance(msg.sender, spender) == 0);
        return super.approve(spender, value);
    }
}
