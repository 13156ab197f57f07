// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title An ERC-20 for demos and tests
/// @notice Anybody may mint: it is worth nothing.
contract TestToken is ERC20 {
    /// @dev Decimals as chosen at deployment.
    uint8 private immutable _decimals;

    /// @notice Creates the token.
    /// @param name_ Name, for people.
    /// @param symbol_ Symbol, for people.
    /// @param decimals_ Decimal places of one token.
    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        _decimals = decimals_;
    }

    /// @inheritdoc ERC20
    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    /// @notice Gives anybody anything.
    /// @param account Who receives.
    /// @param amount Base units.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }
}
