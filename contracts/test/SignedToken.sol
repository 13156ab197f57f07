// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title A token that accounts can pay with by signatures, as with the common dollar tokens
/// @notice It has EIP-2612, and EIP-3009 in both forms. Anyone may mint, so it is worth nothing.
contract SignedToken is ERC20Permit, ERC3009 {
    /// @notice Creates the token.
    constructor() ERC20("Signed Dollar", "SIGN") ERC20Permit("Signed Dollar") {}

    /// @inheritdoc ERC20
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Mints tokens for an account.
    /// @param account The recipient.
    /// @param amount Base units.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }

    /// @notice Moves tokens to the caller as `from` has signed, by ECDSA or ERC-1271.
    /// @param from Who pays and has signed.
    /// @param to Who receives, and calls.
    /// @param value Base units.
    /// @param validAfter Valid after this time, unix seconds.
    /// @param validBefore Valid before this time, unix seconds.
    /// @param nonce Any value that `from` has not used.
    /// @param signature The signature of `from`.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        if (to != msg.sender) revert ERC20InvalidReceiver(to);
        bytes32 structHash = keccak256(
            abi.encode(
                RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
            )
        );
        if (!SignatureChecker.isValidSignatureNow(from, _hashTypedDataV4(structHash), signature)) {
            revert ERC3009InvalidSignature();
        }
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }
}
