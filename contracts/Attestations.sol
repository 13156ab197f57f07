// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {CampaignStore} from "./CampaignStore.sol";
import {Errors} from "./libraries/Errors.sol";

/// @title Attestations: what an attester signs (EIP-712), and the checks of it
abstract contract Attestations is CampaignStore, EIP712 {
    /// @notice EIP-712 type of an attested sale.
    bytes32 public constant SALE_ATTESTATION_TYPEHASH = keccak256(
        "SaleAttestation(uint256 campaignId,bytes32 termsHash,address buyer,uint256 nodeId,"
        "address nodeOwner,uint256 amount,bytes32 orderKey,bytes32 skuHash,uint256 nonce,"
        "uint64 deadline)"
    );
    /// @notice EIP-712 type of an attester's consent to a refund; `refundedTotal` includes it.
    bytes32 public constant REFUND_APPROVAL_TYPEHASH = keccak256(
        "RefundApproval(uint256 campaignId,bytes32 termsHash,address buyer,bytes32 orderKey,"
        "uint256 refundedTotal,bytes32 reasonHash,uint64 deadline)"
    );
    /// @notice EIP-712 type of an attester's consent to a reversal.
    bytes32 public constant REVERSAL_APPROVAL_TYPEHASH = keccak256(
        "ReversalApproval(uint256 campaignId,bytes32 termsHash,address buyer,bytes32 orderKey,"
        "bytes32 reasonHash,uint64 deadline)"
    );
    /// @notice How far ahead the deadline of a signature may be, seconds.
    uint256 public constant ATTESTATION_SECONDS_MAX = 900;

    /// @notice Nonces that a signer has used in a campaign.
    mapping(uint256 campaignId => mapping(address signer => mapping(uint256 nonce => bool))) public
        isNonceUsed;

    /// @dev The domain that everything is signed for.
    constructor() EIP712("Tributary", "2") {}

    /// @dev Checks an attestation and uses its nonce.
    /// @param c Its campaign; attested, in either way.
    /// @param attestation The sale.
    /// @param signature By the merchant (ECDSA or ERC-1271) in a MERCHANT_ATTESTED campaign, by an
    /// allowed attester (ECDSA, for the message names none) in a THIRD_PARTY_VERIFIED one.
    /// @return signer Who signed.
    function _useAttestation(
        Campaign storage c,
        SaleAttestation calldata attestation,
        bytes calldata signature
    ) internal returns (address signer) {
        uint256 campaignId = attestation.campaignId;
        _checkDeadline(attestation.deadline);
        bytes32 digest =
            _hashTypedDataV4(keccak256(abi.encode(SALE_ATTESTATION_TYPEHASH, attestation)));
        if (c.trustMode == TrustMode.MERCHANT_ATTESTED) {
            signer = c.merchant;
            _checkSignature(signer, digest, signature);
        } else {
            (signer,,) = ECDSA.tryRecoverCalldata(digest, signature);
            if (signer == address(0)) revert Errors.InvalidSignature(signer);
            if (signer == c.merchant || !isAttesterAllowed[campaignId][signer]) {
                revert Errors.AttesterNotAllowed(campaignId, signer);
            }
        }
        if (isNonceUsed[campaignId][signer][attestation.nonce]) {
            revert Errors.NonceUsed(campaignId, signer, attestation.nonce);
        }
        isNonceUsed[campaignId][signer][attestation.nonce] = true;
    }

    /// @dev Checks the consent that a refund or reversal needs: in a THIRD_PARTY_VERIFIED campaign
    /// that of the sale's own attester, allowed still or not; elsewhere there must be none.
    /// @param trustMode The campaign's.
    /// @param saleId The sale.
    /// @param attester Who attested it.
    /// @param structHash EIP-712 hash of the approval.
    /// @param deadline Unix seconds; the signature is good up to and including it.
    /// @param signature The attester's, or empty.
    function _checkApproval(
        TrustMode trustMode,
        uint256 saleId,
        address attester,
        bytes32 structHash,
        uint64 deadline,
        bytes calldata signature
    ) internal view {
        if (trustMode != TrustMode.THIRD_PARTY_VERIFIED) {
            if (signature.length != 0) revert Errors.UnexpectedSignature(saleId);
            return;
        }
        _checkDeadline(deadline);
        _checkSignature(attester, _hashTypedDataV4(structHash), signature);
    }

    /// @dev Reverts if a deadline has passed, or is more than 900 seconds ahead.
    function _checkDeadline(uint64 deadline) private view {
        if (deadline < block.timestamp) revert Errors.SignatureExpired(deadline, block.timestamp);
        uint256 latest = block.timestamp + ATTESTATION_SECONDS_MAX;
        if (deadline > latest) revert Errors.ValidityTooLong(deadline, latest);
    }

    /// @dev Reverts unless the signature is the signer's. ECDSA is tried first, so that an account
    /// that delegated to code (EIP-7702) since it last signed can sign as before.
    function _checkSignature(address signer, bytes32 digest, bytes calldata signature)
        private
        view
    {
        (address recovered,,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (recovered == signer) return;
        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature)) {
            revert Errors.InvalidSignature(signer);
        }
    }
}
