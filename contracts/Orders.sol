// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Campaigns} from "./Campaigns.sol";
import {IReferralCommerce} from "./IReferralCommerce.sol";
import {Sales} from "./Sales.sol";
import {Errors} from "./libraries/Errors.sol";

/// @title Orders: buying, joining and funding by a signature that anyone may send (EIP-712)
/// @dev An order names everything that its signer would name in a call of its own, so the sender
/// can choose nothing but the time, up to the deadline.
abstract contract Orders is Campaigns, Sales {
    /// @notice EIP-712 type of an order to buy.
    bytes32 public constant BUY_ORDER_TYPEHASH = keccak256(
        "BuyOrder(uint256 campaignId,bytes32 termsHash,address buyer,uint256 nodeId,"
        "address nodeOwner,bytes32 skuHash,bytes32 orderKey,uint256 maxAmount,"
        "uint32 minPolicyVersion,uint64 deadline)"
    );
    /// @notice EIP-712 type of an order to join.
    bytes32 public constant JOIN_ORDER_TYPEHASH = keccak256(
        "JoinOrder(uint256 campaignId,bytes32 termsHash,address account,uint256 parentNodeId,"
        "address parentOwner,bytes32 salt,uint64 deadline)"
    );
    /// @notice EIP-712 type of an order to fund.
    bytes32 public constant FUND_ORDER_TYPEHASH = keccak256(
        "FundOrder(uint256 campaignId,bytes32 termsHash,address account,uint256 amount,"
        "bytes32 salt,uint64 deadline)"
    );

    /// @inheritdoc IReferralCommerce
    mapping(bytes32 digest => bool) public isOrderUsed;

    /// @inheritdoc IReferralCommerce
    function buyFor(BuyOrder calldata order, bytes calldata signature, Payment calldata payment)
        external
        nonReentrant
        returns (uint256 saleId)
    {
        bytes32 digest = _digestOfInput(BUY_ORDER_TYPEHASH, 10);
        _checkOrder(order.buyer, order.deadline, digest, signature, payment.kind);
        return _buy(
            Order(
                order.campaignId,
                order.buyer,
                order.nodeId,
                order.nodeOwner,
                order.orderKey,
                order.skuHash
            ),
            order.termsHash,
            order.maxAmount,
            order.minPolicyVersion,
            payment,
            digest
        );
    }

    /// @inheritdoc IReferralCommerce
    function joinFor(JoinOrder calldata order, bytes calldata signature)
        external
        nonReentrant
        returns (uint256 nodeId)
    {
        bytes32 digest = _digestOfInput(JOIN_ORDER_TYPEHASH, 7);
        _checkOrder(order.account, order.deadline, digest, signature, PaymentKind.ALLOWANCE);
        _useOrder(digest);
        return _join(
            order.campaignId, order.termsHash, order.account, order.parentNodeId, order.parentOwner
        );
    }

    /// @inheritdoc IReferralCommerce
    function fundFor(FundOrder calldata order, bytes calldata signature, Payment calldata payment)
        external
        nonReentrant
    {
        bytes32 digest = _digestOfInput(FUND_ORDER_TYPEHASH, 6);
        _checkOrder(order.account, order.deadline, digest, signature, payment.kind);
        _useOrder(digest);
        _fund(order.campaignId, order.termsHash, order.account, order.amount, payment, digest);
    }

    /// @dev Reverts unless the signer consents to the order. With an authorization, the token checks
    /// that: its nonce is the digest of the order, and the contract checks that the signer pays.
    function _checkOrder(
        address signer,
        uint64 deadline,
        bytes32 digest,
        bytes calldata signature,
        PaymentKind kind
    ) private view {
        // What a failed recovery returns, and what tokens may treat as an account of their own.
        if (signer == address(0) || signer == address(this)) {
            revert Errors.InvalidSignature(signer);
        }
        if (deadline < block.timestamp) revert Errors.OrderExpired(deadline, block.timestamp);
        if (kind == PaymentKind.AUTHORIZATION) {
            if (signature.length != 0) revert Errors.UnexpectedOrderSignature();
        } else {
            _checkSignature(signer, digest, signature);
        }
    }

    /// @dev Marks an order as used. An order to buy needs no mark: its key can be used once.
    function _useOrder(bytes32 digest) private {
        if (isOrderUsed[digest]) revert Errors.OrderUsed(digest);
        isOrderUsed[digest] = true;
    }
}
