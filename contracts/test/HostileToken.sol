// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../TestToken.sol";

/// @title A token that calls back in the middle of a transfer
/// @notice Once armed, it makes one call on the next transfer, and keeps what came of it.
contract HostileToken is TestToken {
    /// @dev Whom to call; zero when not armed.
    address private _target;
    /// @dev What to call it with.
    bytes private _data;

    /// @notice Whether the call went through.
    bool public succeeded;
    /// @notice What the call returned, or why it reverted.
    bytes public answer;

    /// @notice Creates the token.
    constructor() TestToken("Hostile", "HOST", 6) {}

    /// @notice Arms the token for its next transfer.
    /// @param target Whom to call.
    /// @param data What to call it with.
    function arm(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    /// @notice Calls on behalf of the token, so that it can be a merchant, node or buyer itself.
    /// @param target Whom to call.
    /// @param data What to call it with.
    function execute(address target, bytes calldata data) external {
        (bool success, bytes memory reason) = target.call(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    /// @dev Moves the tokens, and calls back while the caller waits.
    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        address target = _target;
        if (target == address(0)) return;
        _target = address(0);
        (succeeded, answer) = target.call(_data);
    }
}
