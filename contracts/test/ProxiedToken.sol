// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Proxy} from "@openzeppelin/contracts/proxy/Proxy.sol";

/// @title A token behind a proxy, as the common dollar tokens are
contract ProxiedToken is Proxy {
    /// @dev The token's code.
    address private immutable IMPLEMENTATION;

    /// @notice Creates the proxy.
    /// @param implementation The token's code.
    constructor(address implementation) {
        IMPLEMENTATION = implementation;
    }

    /// @inheritdoc Proxy
    function _implementation() internal view override returns (address) {
        return IMPLEMENTATION;
    }
}
