// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../TestToken.sol";

/// @title A token whose issuer can block accounts, as the common dollar tokens can
/// @notice Anyone may block anyone: it is for tests.
contract BlocklistToken is TestToken {
    /// @notice A blocked account neither sends nor receives.
    error Blocked(address account);

    /// @notice Accounts that neither send nor receive.
    mapping(address account => bool) public isBlocked;

    /// @notice Creates the token.
    constructor() TestToken("Blocklist Dollar", "BLOCK", 6) {}

    /// @notice Blocks an account, or unblocks it.
    /// @param account The account.
    /// @param blocked Whether it is blocked from now on.
    function setBlocked(address account, bool blocked) external {
        isBlocked[account] = blocked;
    }

    /// @dev Reverts if either side is blocked.
    function _update(address from, address to, uint256 value) internal override {
        if (isBlocked[from]) revert Blocked(from);
        if (isBlocked[to]) revert Blocked(to);
        super._update(from, to, value);
    }
}
