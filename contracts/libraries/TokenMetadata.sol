// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Errors} from "./Errors.sol";

/// @title Decimals, symbol and name that a token reports
/// @notice Name and symbol are optional in ERC-20, so reading them never reverts.
library TokenMetadata {
    /// @notice Largest number of decimals that a reader must be able to show.
    uint256 internal constant DECIMALS_MAX = 36;
    /// @notice Largest number of bytes in a name or symbol.
    uint256 internal constant TEXT_BYTES_MAX = 32;

    /// @notice Returns the decimals of a token; reverts if it reports none, or more than 36.
    /// @param token The token.
    /// @return Number of decimals, at most 36.
    function decimalsOf(address token) internal view returns (uint8) {
        (bool success, bytes memory answer) =
            token.staticcall(abi.encodeCall(IERC20Metadata.decimals, ()));
        if (!success || answer.length < 32) revert Errors.TokenDecimalsMissing(token);
        uint256 decimals = abi.decode(answer, (uint256));
        if (decimals > DECIMALS_MAX) revert Errors.TokenDecimalsTooMany(token, decimals);
        return uint8(decimals);
    }

    /// @notice Returns the symbol of a token.
    /// @param token The token.
    /// @return At most 32 bytes; empty if the token has none.
    function symbolOf(address token) internal view returns (string memory) {
        return _text(token, abi.encodeCall(IERC20Metadata.symbol, ()));
    }

    /// @notice Returns the name of a token.
    /// @param token The token.
    /// @return At most 32 bytes; empty if the token has none.
    function nameOf(address token) internal view returns (string memory) {
        return _text(token, abi.encodeCall(IERC20Metadata.name, ()));
    }

    /// @dev Decodes by hand, because `abi.decode` reverts on an answer that is no string. Some old
    /// tokens answer one word (bytes32, padded with zeros) instead.
    function _text(address token, bytes memory call_) private view returns (string memory) {
        (bool success, bytes memory answer) = token.staticcall(call_);
        if (!success || answer.length < 32) return "";
        uint256 start; // of the text in `answer`
        uint256 length;
        if (answer.length == 32) {
            while (length < 32 && answer[length] != 0) ++length;
        } else {
            uint256 offset = _word(answer, 0);
            if (answer.length < 64 || offset > answer.length - 32) return "";
            length = _word(answer, offset);
            start = offset + 32;
            if (length > answer.length - start) return "";
        }
        if (length > TEXT_BYTES_MAX) {
            length = TEXT_BYTES_MAX;
            // Drop a UTF-8 character that does not fit: bytes 10xxxxxx continue a character.
            while (length > 0 && answer[start + length] & 0xC0 == 0x80) --length;
        }
        bytes memory text = new bytes(length);
        // `start + length` is within `answer`.
        assembly ("memory-safe") {
            mcopy(add(text, 32), add(add(answer, 32), start), length)
        }
        return string(text);
    }

    /// @dev Returns the 32 bytes of `data` at `offset`; the caller has checked the bounds.
    function _word(bytes memory data, uint256 offset) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), offset))
        }
    }
}
