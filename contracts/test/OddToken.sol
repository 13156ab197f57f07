// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @title A token that answers with configured bytes
/// @notice Has only the functions that a campaign's creation calls; an empty answer is a revert.
contract OddToken {
    /// @dev Raw answer by selector.
    mapping(bytes4 selector => bytes) private _answers;

    /// @notice Creates the token.
    /// @param decimals_ Raw answer to `decimals()`.
    /// @param symbol_ Raw answer to `symbol()`.
    /// @param name_ Raw answer to `name()`.
    constructor(bytes memory decimals_, bytes memory symbol_, bytes memory name_) {
        _answers[IERC20Metadata.decimals.selector] = decimals_;
        _answers[IERC20Metadata.symbol.selector] = symbol_;
        _answers[IERC20Metadata.name.selector] = name_;
    }

    /// @notice Changes an answer.
    /// @param selector The selector.
    /// @param answer Raw answer from now on.
    function setAnswer(bytes4 selector, bytes calldata answer) external {
        _answers[selector] = answer;
    }

    /// @notice Answers.
    fallback(bytes calldata) external returns (bytes memory answer) {
        answer = _answer(msg.sig);
        require(answer.length != 0);
    }

    /// @dev Returns the raw answer to a selector; empty to revert.
    function _answer(bytes4 selector) internal view virtual returns (bytes memory) {
        return _answers[selector];
    }
}
