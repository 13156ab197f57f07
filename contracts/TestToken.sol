// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title An ERC-20 for demos and tests
/// @notice Anyone may mint, so it is worth nothing.
contract TestToken is ERC20 {
    /// @dev Decimals, set at deployment.
    uint8 private immutable _decimals;

    /// @notice Creates the token.
    /// @param name_ Name to display.
    /// @param symbol_ Symbol to display.
    /// @param decimals_ Decimal places of one token.
    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        _decimals = decimals_;
    }

    /// @inheritdoc ERC20
    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    /// @notice Mints tokens for an account.
    /// @param account The recipient.
    /// @param amount Base units.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }
}
