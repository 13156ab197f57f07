// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC3009} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IReferralTypes} from "../IReferralCommerce.sol";
import {Errors} from "./Errors.sol";
import {Transfers} from "./Transfers.sol";

/// @title The form of EIP-3009 for signatures that are not of 65 bytes, such as those of ERC-1271
interface IERC3009Bytes {
    /// @notice Moves tokens to the caller, which is `to`, as `from` has signed.
    /// @param from Who pays and has signed.
    /// @param to Who receives, and calls.
    /// @param value Base units.
    /// @param validAfter Valid after this time, unix seconds.
    /// @param validBefore Valid before this time, unix seconds.
    /// @param nonce Any value that `from` has not used with the token.
    /// @param signature The signature of `from`.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title The ways in which an account pays into the contract
library Payments {
    /// @dev Bytes of an ECDSA signature.
    uint256 private constant ECDSA_BYTES = 65;

    /// @notice Takes tokens from an account, which has consented to this: by its call, by its
    /// signature of an order, or by an authorization that the token checks.
    /// @param token The token.
    /// @param payer Who pays.
    /// @param amount Base units to take.
    /// @param signedAmount What a permit or an authorization names, base units.
    /// @param payment How to take them.
    /// @param nonce Nonce of an authorization: the digest of the order.
    /// @return received Base units that arrived, above zero.
    function pull(
        address token,
        address payer,
        uint256 amount,
        uint256 signedAmount,
        IReferralTypes.Payment memory payment,
        bytes32 nonce
    ) internal returns (uint256 received) {
        if (payment.kind == IReferralTypes.PaymentKind.AUTHORIZATION) {
            // An authorization cannot be used in part.
            if (amount != signedAmount) revert Errors.PriceChanged(amount, signedAmount);
            return _pullAuthorized(token, payer, amount, payment, nonce);
        }
        if (payment.kind == IReferralTypes.PaymentKind.PERMIT) {
            (uint8 v, bytes32 r, bytes32 s) = ECDSA.parse(payment.signature);
            // Anyone can use the permit before this call does: then the allowance is there.
            try IERC20Permit(token).permit(
                payer, address(this), signedAmount, payment.validBefore, v, r, s
            ) {} catch {}
        }
        return Transfers.pull(token, payer, amount);
    }

    /// @dev Takes tokens by an authorization of the payer. A token that lacks the function can
    /// accept the call all the same (its fallback does), and one that has it can do anything. So the
    /// balances decide: money has arrived, and the payer has less by at least as much.
    function _pullAuthorized(
        address token,
        address payer,
        uint256 amount,
        IReferralTypes.Payment memory payment,
        bytes32 nonce
    ) private returns (uint256 received) {
        uint256 balanceBefore = Transfers.balanceOf(token, address(this));
        uint256 payerBefore = Transfers.balanceOf(token, payer);
        (uint256 validAfter, uint256 validBefore) = (payment.validAfter, payment.validBefore);
        if (payment.signature.length == ECDSA_BYTES) {
            (uint8 v, bytes32 r, bytes32 s) = ECDSA.parse(payment.signature);
            IERC3009(token).receiveWithAuthorization(
                payer, address(this), amount, validAfter, validBefore, nonce, v, r, s
            );
        } else {
            IERC3009Bytes(token).receiveWithAuthorization(
                payer, address(this), amount, validAfter, validBefore, nonce, payment.signature
            );
        }
        received = Transfers.arrived(token, balanceBefore);
        uint256 payerAfter = Transfers.balanceOf(token, payer);
        if (payerAfter > payerBefore || payerBefore - payerAfter < received) {
            revert Errors.NotPaidBy(token, payer);
        }
    }
}
