// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Errors} from "./Errors.sol";

/// @title What a token says of itself
/// @notice Name and symbol are optional in ERC-20, so reading them never reverts.
library TokenMetadata {
    /// @notice Most decimals that a reader must be able to show.
    uint256 internal constant DECIMALS_MAX = 36;
    /// @notice Most bytes of a name or symbol.
    uint256 internal constant TEXT_BYTES_MAX = 32;

    /// @notice Decimals of a token.
    /// @param token The token.
    /// @return decimals At most 36; reverts where the token does not say, or says more.
    function decimalsOf(address token) internal view returns (uint8) {
        (bool success, bytes memory answer) =
            token.staticcall(abi.encodeCall(IERC20Metadata.decimals, ()));
        if (!success || answer.length < 32) revert Errors.TokenDecimalsMissing(token);
        uint256 decimals = abi.decode(answer, (uint256));
        if (decimals > DECIMALS_MAX) revert Errors.TokenDecimalsTooMany(token, decimals);
        return uint8(decimals);
    }

    /// @notice Symbol of a token.
    /// @param token The token.
    /// @return At most 32 bytes; empty where the token has none.
    function symbolOf(address token) internal view returns (string memory) {
        return _text(token, abi.encodeCall(IERC20Metadata.symbol, ()));
    }

    /// @notice Name of a token.
    /// @param token The token.
    /// @return At most 32 bytes; empty where the token has none.
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
            // A UTF-8 character that does not fit goes whole: 10xxxxxx continues one.
            while (length > 0 && answer[start + length] & 0xC0 == 0x80) --length;
        }
        bytes memory text = new bytes(length);
        for (uint256 i; i < length; ++i) text[i] = answer[start + i];
        return string(text);
    }

    /// @dev The 32 bytes of `data` that begin at `offset`; the caller has checked the bounds.
    function _word(bytes memory data, uint256 offset) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), offset))
        }
    }
}
