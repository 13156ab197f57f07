// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A wallet that is a contract: it signs by ERC-1271
contract ContractWallet is IERC1271 {
    /// @notice Whose signatures count as the wallet's.
    address public immutable owner;

    /// @notice Creates the wallet of the deployer.
    constructor() {
        owner = msg.sender;
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4) {
        (address signer,,) = ECDSA.tryRecover(hash, signature);
        return signer == owner ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    /// @notice Calls on behalf of the wallet.
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
}
