// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Errors} from "./Errors.sol";

/// @title Token transfers that a token cannot turn against another campaign
/// @notice The contract holds the money of many campaigns in one balance per token. So each
/// transfer is checked against that balance: what comes in is credited as received, and what goes
/// out must take exactly the amount.
library Transfers {
    using SafeERC20 for IERC20;

    /// @notice Gas that `trySend` offers the token. Transfers of common tokens use 30,000 to
    /// 200,000.
    uint256 internal constant TRANSFER_GAS = 500_000;
    /// @notice Gas that must be left before `trySend` calls the token, if its refusal is to count:
    /// with this much, EIP-150 (a call gets at most 63/64) leaves the token all of `TRANSFER_GAS`.
    uint256 internal constant REFUSAL_GAS_MIN = 520_000;

    /// @notice Takes tokens from an account that has allowed the contract to do so.
    /// @param token The token.
    /// @param payer Who pays.
    /// @param amount Base units asked of the payer.
    /// @return received Base units that arrived, above zero: less than `amount` if the token takes
    /// a fee.
    function pull(address token, address payer, uint256 amount)
        internal
        returns (uint256 received)
    {
        uint256 balanceBefore = balanceOf(token, address(this));
        IERC20(token).safeTransferFrom(payer, address(this), amount);
        return arrived(token, balanceBefore);
    }

    /// @notice Returns what has arrived; reverts if nothing has.
    /// @param token The token.
    /// @param balanceBefore The contract's balance before, base units.
    /// @return received Base units, above zero.
    function arrived(address token, uint256 balanceBefore)
        internal
        view
        returns (uint256 received)
    {
        uint256 balanceAfter = balanceOf(token, address(this));
        if (balanceAfter <= balanceBefore) revert Errors.NothingReceived(token);
        received = balanceAfter - balanceBefore;
    }

    /// @notice Sends tokens; reverts if the token refuses, with its reason.
    /// @param token The token.
    /// @param to The recipient.
    /// @param amount Base units.
    function send(address token, address to, uint256 amount) internal {
        uint256 balanceBefore = balanceOf(token, address(this));
        IERC20(token).safeTransfer(to, amount);
        _checkTaken(token, amount, balanceBefore, amount);
    }

    /// @notice Sends tokens, and reports whether the token did it.
    /// @dev A refusal is a revert, or an answer other than `true`. The token always gets the same
    /// gas, so that the caller cannot make a payment fail by a low gas limit. Comparing the gas
    /// that is left afterwards would not do: of a token behind a proxy, only the inner call runs
    /// out. The answer is not copied beyond its first word, so a long one costs nothing here.
    /// @param token The token.
    /// @param to The recipient.
    /// @param amount Base units.
    /// @return paid False if the token refused and took nothing.
    function trySend(address token, address to, uint256 amount) internal returns (bool paid) {
        uint256 balanceBefore = balanceOf(token, address(this));
        bytes memory data = abi.encodeCall(IERC20.transfer, (to, amount));
        uint256 gasBefore = gasleft();
        assembly ("memory-safe") {
            paid := call(TRANSFER_GAS, token, 0, add(data, 32), mload(data), 0, 32)
            // An empty answer counts as `true`, as in SafeERC20; `balanceOf` has seen code there.
            if and(paid, gt(returndatasize(), 0)) {
                paid := and(gt(returndatasize(), 31), eq(mload(0), 1))
            }
        }
        if (!paid && gasBefore < REFUSAL_GAS_MIN) {
            revert Errors.NotEnoughGas(gasBefore, REFUSAL_GAS_MIN);
        }
        _checkTaken(token, amount, balanceBefore, paid ? amount : 0);
    }

    /// @dev Reverts unless the balance fell by `expected`.
    function _checkTaken(address token, uint256 amount, uint256 balanceBefore, uint256 expected)
        private
        view
    {
        uint256 balanceAfter = balanceOf(token, address(this));
        uint256 taken = balanceAfter < balanceBefore ? balanceBefore - balanceAfter : 0;
        if (taken != expected || balanceAfter > balanceBefore) {
            revert Errors.InexactTransfer(token, amount, taken);
        }
    }

    /// @notice Returns a balance, base units; reverts if there is no contract at `token`.
    /// @param token The token.
    /// @param account The account.
    function balanceOf(address token, address account) internal view returns (uint256) {
        return IERC20(token).balanceOf(account);
    }
}
