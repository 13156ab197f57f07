// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {HostileToken} from "./HostileToken.sol";

/// @title A token that accepts any signature of an authorization, and then does as configured
/// @notice Once armed, it also calls back in the middle of an authorization or a permit.
contract ForgingToken is HostileToken {
    /// @notice What an authorization does.
    /// @dev TAKES moves the payer's tokens. TAKES_NOTHING moves none. TAKES_HALF moves half of
    /// them. MINTS creates what arrives. TAKES_FROM_VICTIM moves those of another account.
    enum Behaviour {
        TAKES,
        TAKES_NOTHING,
        TAKES_HALF,
        MINTS,
        TAKES_FROM_VICTIM
    }

    /// @notice What an authorization does from now on.
    Behaviour public behaviour;
    /// @notice Whose tokens TAKES_FROM_VICTIM moves.
    address public victim;

    /// @notice Chooses what an authorization does from now on.
    /// @param behaviour_ The behaviour.
    /// @param victim_ Whose tokens TAKES_FROM_VICTIM moves.
    function setBehaviour(Behaviour behaviour_, address victim_) external {
        behaviour = behaviour_;
        victim = victim_;
    }

    /// @notice Ignores the signature.
    /// @param from Who shall pay.
    /// @param to Who shall receive.
    /// @param value Base units.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        uint8,
        bytes32,
        bytes32
    ) external {
        _receive(from, to, value);
    }

    /// @notice Ignores the signature.
    /// @param from Who shall pay.
    /// @param to Who shall receive.
    /// @param value Base units.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        bytes calldata
    ) external {
        _receive(from, to, value);
    }

    /// @notice Allows nothing, but calls back if it is armed.
    /// @param owner Whose permit it would be.
    function permit(address owner, address, uint256, uint256, uint8, bytes32, bytes32) external {
        _transfer(owner, owner, 0);
    }

    /// @dev Does as configured.
    function _receive(address from, address to, uint256 value) private {
        Behaviour b = behaviour;
        if (b == Behaviour.TAKES_NOTHING) return;
        if (b == Behaviour.MINTS) return _mint(to, value);
        if (b == Behaviour.TAKES_FROM_VICTIM) from = victim;
        _transfer(from, to, b == Behaviour.TAKES_HALF ? value / 2 : value);
    }
}
