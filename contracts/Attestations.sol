// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {CampaignStore} from "./CampaignStore.sol";
import {Errors} from "./libraries/Errors.sol";

/// @title Attestations: what merchants and attesters sign (EIP-712), and its checks
abstract contract Attestations is CampaignStore, EIP712 {
    /// @notice EIP-712 type of an attested sale.
    bytes32 public constant SALE_ATTESTATION_TYPEHASH = keccak256(
        "SaleAttestation(uint256 campaignId,bytes32 termsHash,address buyer,uint256 nodeId,"
        "address nodeOwner,uint256 amount,bytes32 orderKey,bytes32 skuHash,uint256 nonce,"
        "uint64 deadline)"
    );
    /// @notice EIP-712 type of an attester's consent to a refund. `refundedTotal` is the total
    /// after the refund.
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

    /// @dev Used nonces by campaign and signer, 256 to a word: bit `nonce & 255` of word
    /// `nonce >> 8`. So a signer that counts its nonces pays for a new slot once in 256 sales.
    mapping(uint256 campaignId => mapping(address signer => mapping(uint256 word => uint256)))
        private _usedNonces;

    /// @dev Sets the EIP-712 domain of all signatures.
    constructor() EIP712("Tributary", "3") {}

    /// @dev Checks an attestation and marks its nonce as used.
    /// @param c The attestation's campaign; not NATIVE_ONCHAIN.
    /// @param attestation The sale.
    /// @param signature The merchant's (ECDSA or ERC-1271) in a MERCHANT_ATTESTED campaign; an
    /// allowed attester's (ECDSA only, because the message does not name the signer) in a
    /// THIRD_PARTY_VERIFIED one.
    /// @return signer The account that signed.
    function _useAttestation(
        StoredCampaign storage c,
        SaleAttestation calldata attestation,
        bytes calldata signature
    ) internal returns (address signer) {
        uint256 campaignId = attestation.campaignId;
        _checkDeadline(attestation.deadline);
        bytes32 digest = _digestOfInput(SALE_ATTESTATION_TYPEHASH, 10);
        if (c.trustMode == TrustMode.MERCHANT_ATTESTED) {
            signer = c.merchant;
            _checkSignature(signer, digest, signature);
        } else {
            (signer,,) = ECDSA.tryRecoverCalldata(digest, signature);
            if (signer == address(0)) revert Errors.InvalidSignature(signer);
            if (signer == c.merchant) revert Errors.AttesterNotAllowed(campaignId, signer);
            _useLimits(campaignId, signer, attestation.amount);
        }
        _useNonce(campaignId, signer, attestation.nonce);
    }

    /// @notice Returns whether the signer has used the nonce in the campaign.
    /// @param campaignId The campaign.
    /// @param signer The merchant or attester.
    /// @param nonce The nonce.
    function isNonceUsed(uint256 campaignId, address signer, uint256 nonce)
        external
        view
        returns (bool)
    {
        return _usedNonces[campaignId][signer][nonce >> 8] & (1 << (nonce & 255)) != 0;
    }

    /// @dev Marks a nonce as used; reverts if it was.
    function _useNonce(uint256 campaignId, address signer, uint256 nonce) private {
        mapping(uint256 word => uint256) storage words = _usedNonces[campaignId][signer];
        uint256 used = words[nonce >> 8];
        uint256 bit = 1 << (nonce & 255);
        if (used & bit != 0) revert Errors.NonceUsed(campaignId, signer, nonce);
        words[nonce >> 8] = used | bit;
    }

    /// @dev Counts a sale against the limits of its attester; reverts above them.
    function _useLimits(uint256 campaignId, address signer, uint256 amount) private {
        StoredAttester storage attester = _attesters[campaignId][signer];
        if (block.timestamp >= attester.expiry) {
            revert Errors.AttesterNotAllowed(campaignId, signer);
        }
        if (amount > attester.perOrder) {
            revert Errors.AboveOrderLimit(campaignId, signer, amount, attester.perOrder);
        }
        uint256 attested = _attestedToday(attester);
        // A lower limit of the same day can be below what was attested before.
        uint256 left = attester.daily > attested ? attester.daily - attested : 0;
        if (amount > left) revert Errors.AboveDailyLimit(campaignId, signer, amount, left);
        attester.attested = uint128(attested + amount);
        attester.day = uint40(block.timestamp / 1 days);
    }

    /// @dev Returns what an attester has attested on the present day, base units.
    function _attestedToday(StoredAttester storage attester) internal view returns (uint256) {
        return attester.day == block.timestamp / 1 days ? attester.attested : 0;
    }

    /// @dev Returns the EIP-712 digest of a call's first argument, a struct of words alone: the
    /// struct as it was sent is its encoding, so it need not be encoded again.
    /// @param typeHash The struct's type.
    /// @param words Number of its fields.
    function _digestOfInput(bytes32 typeHash, uint256 words) internal view returns (bytes32) {
        bytes calldata input = msg.data[4:4 + 32 * words];
        return _hashTypedDataV4(keccak256(abi.encodePacked(typeHash, input)));
    }

    /// @dev Checks the consent to a refund or reversal. A THIRD_PARTY_VERIFIED campaign needs the
    /// consent of the sale's own attester, even if that attester is no longer allowed to attest. In
    /// other campaigns the signature must be empty.
    /// @param trustMode The trust mode of the campaign.
    /// @param saleId The sale.
    /// @param attester The account that attested the sale.
    /// @param structHash EIP-712 hash of the approval.
    /// @param deadline Unix seconds; the signature is valid up to and including this time.
    /// @param signature The attester's signature, or empty.
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

    /// @dev Reverts unless the signature is the signer's. Tries ECDSA first, so that an account
    /// that has delegated to code (EIP-7702) can still sign as before.
    function _checkSignature(address signer, bytes32 digest, bytes calldata signature)
        internal
        view
    {
        (address recovered,,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (recovered == signer) return;
        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature)) {
            revert Errors.InvalidSignature(signer);
        }
    }
}
