// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Types and events of the referral commerce protocol
/// @notice The events are enough to rebuild the whole state.
/// @dev Amounts are base units of the campaign's token, times are unix seconds, rates are basis
/// points. Errors are in `libraries/Errors.sol`.
interface IReferralCommerce {
    // ───────────────────────────── types ─────────────────────────────

    /// @notice What happens to the weights of the levels that a short path lacks: the existing
    /// levels share them, or they stay in the vault.
    enum ShortPathMode {
        RENORMALIZE_EXISTING,
        RETURN_UNUSED
    }

    /// @notice Who confirms that a sale of the campaign took place: the contract, which received
    /// the price; the merchant; or an attester that the merchant allowed.
    enum TrustMode {
        NATIVE_ONCHAIN,
        MERCHANT_ATTESTED,
        THIRD_PARTY_VERIFIED
    }

    /// @notice The reward policy that decides how a sale is split.
    /// @dev `commissionBps` 1 to 10000; a cap is above 0, and 2^256 − 1 means no cap; one weight
    /// for each of the 1 to 5 rewarded ancestors, each above 0, together 10000; `holdSeconds` 60 to
    /// 7776000; no sale at or after `expiry`; a list has at most 32 entries of 64 bytes.
    struct Policy {
        address rewardToken;
        uint16 commissionBps;
        uint256 perSaleCap;
        uint256 campaignLiabilityCap;
        uint8 maxRewardedAncestors;
        uint16[] weightsBps;
        ShortPathMode shortPathMode;
        uint32 holdSeconds;
        uint64 expiry;
        string[] regions;
        string[] sharingRules;
    }

    /// @notice The input of `createCampaign`.
    /// @dev `price` of `skuHash` in base units; sales from `startsAt` on and before `endsAt`;
    /// capacities are totals, at most 2^53 − 1, and 0 allows none; `nodesPerAccount` limits how
    /// many nodes one account may own, 0 means 25; `salt` is any value that the merchant has not
    /// used with the same token, trust mode and metadata hash.
    struct CampaignInput {
        address token;
        uint256 price;
        bytes32 skuHash;
        bytes32 metadataHash;
        uint64 startsAt;
        uint64 endsAt;
        uint64 nodeCapacity;
        uint64 saleCapacity;
        uint32 nodesPerAccount;
        TrustMode trustMode;
        bool inviteOnly;
        bytes32 salt;
    }

    /// @notice A sale that was paid outside the contract, as it is signed (EIP-712).
    /// @dev `nodeId` 0 is a direct sale, whose `nodeOwner` is 0; the attestation is valid up to and
    /// including `deadline`.
    struct SaleAttestation {
        uint256 campaignId;
        bytes32 termsHash;
        address buyer;
        uint256 nodeId;
        address nodeOwner;
        uint256 amount;
        bytes32 orderKey;
        bytes32 skuHash;
        uint256 nonce;
        uint64 deadline;
    }

    /// @notice Names a sale by what its buyer and merchant chose. A sale's number can belong to
    /// another sale after a reorg; this cannot.
    struct SaleRef {
        uint256 campaignId;
        bytes32 termsHash;
        address buyer;
        bytes32 orderKey;
    }

    /// @notice The two ledgers of a campaign, and the credits that are still to be withdrawn.
    /// @dev netDeposited = the next five together; sum of native sales = the four after them.
    /// `creditOutstanding` left both ledgers (as claimed or refunded) but not yet the contract.
    struct CampaignLedger {
        uint256 netDeposited;
        uint256 available;
        uint256 pendingReserved;
        uint256 vestedUnclaimed;
        uint256 rewardsClaimed;
        uint256 surplusWithdrawn;
        uint256 proceedsPending;
        uint256 proceedsClaimable;
        uint256 proceedsClaimed;
        uint256 buyerRefunded;
        uint256 creditOutstanding;
    }

    /// @notice The state of a campaign at a time. If several apply, ENDED wins over EXPIRED, and
    /// EXPIRED over PAUSED.
    enum CampaignState {
        CREATED_UNFUNDED,
        FUNDED_ACTIVE,
        PAUSED,
        ENDED,
        EXPIRED
    }

    /// @notice The status of a sale; a partly refunded sale is still PENDING.
    enum SaleStatus {
        PENDING,
        REFUNDED,
        FINALIZED,
        REVERSED
    }

    /// @notice Why `finalize` or `claimRewards` left out an entry of its list.
    enum SkipReason {
        UNKNOWN,
        NOT_DUE,
        ALREADY_CLOSED,
        NOTHING_CLAIMABLE
    }

    /// @notice A campaign as `campaign` returns it.
    struct Campaign {
        address merchant;
        address token;
        bytes32 skuHash;
        bytes32 metadataHash;
        uint64 startsAt;
        uint64 endsAt;
        uint64 nodeCapacity;
        uint64 saleCapacity;
        uint64 nodeCount;
        uint64 saleCount;
        TrustMode trustMode;
        bool inviteOnly;
        bool funded;
        bool paused;
        bool ended;
        uint32 nodesPerAccount;
        bytes32 termsHash;
    }

    /// @notice A version of a policy as `policyAt` returns it, with all that `policyHash` encodes.
    struct PolicyVersion {
        uint32 version;
        uint64 effectiveAt;
        address rewardToken;
        uint16 commissionBps;
        uint256 perSaleCap;
        uint256 campaignLiabilityCap;
        uint8 maxRewardedAncestors;
        uint16[] weightsBps;
        ShortPathMode shortPathMode;
        uint32 holdSeconds;
        uint64 expiry;
        bytes32 eligibilityHash;
        bytes32 policyHash;
    }

    /// @notice A node as `node` returns it; `parentNodeId` 0 is a root.
    struct Node {
        uint256 campaignId;
        uint256 parentNodeId;
        address owner;
    }

    /// @notice A sale as `sale` returns it; `shares` as recorded, level 1 first.
    struct Sale {
        uint256 campaignId;
        address buyer;
        uint256 nodeId;
        uint256 amount;
        uint256 refundedTotal;
        uint256[] shares;
        uint32 policyVersion;
        uint64 holdUntil;
        uint64 finalizedAt;
        SaleStatus status;
        address attester;
    }

    // ───────────────────────────── events ─────────────────────────────

    /// @notice A campaign was created; its merchant is the caller. Token symbol and name have at
    /// most 32 bytes and are empty if the token has none; the price is in base units.
    event CampaignCreated(
        uint256 indexed campaignId,
        address indexed merchant,
        address token,
        uint8 tokenDecimals,
        string tokenSymbol,
        string tokenName,
        uint256 price,
        bytes32 skuHash,
        bytes32 metadataHash,
        uint64 startsAt,
        uint64 endsAt,
        uint64 nodeCapacity,
        uint64 saleCapacity,
        TrustMode trustMode,
        bool inviteOnly,
        uint32 nodesPerAccount,
        bytes32 salt,
        bytes32 termsHash
    );

    /// @notice The total number of nodes and sales that the campaign may have from now on.
    event CapacityRaised(uint256 indexed campaignId, uint64 nodeCapacity, uint64 saleCapacity);

    /// @notice A variant has a price, base units; the campaign's own SKU changes the campaign's
    /// price.
    event VariantPriced(uint256 indexed campaignId, bytes32 skuHash, uint256 price);

    /// @notice A policy version takes effect at `effectiveAt`; versions count from 1.
    event PolicyScheduled(
        uint256 indexed campaignId,
        uint32 version,
        uint64 effectiveAt,
        Policy policy,
        bytes32 eligibilityHash,
        bytes32 policyHash
    );

    /// @notice The rewards vault received `amount` base units from an account.
    event CampaignFunded(uint256 indexed campaignId, address indexed account, uint256 amount);

    /// @notice The merchant received `amount` base units that were not reserved for anyone.
    event SurplusWithdrawn(uint256 indexed campaignId, address indexed account, uint256 amount);

    /// @notice Sales and joining stop until the campaign is resumed.
    event CampaignPaused(uint256 indexed campaignId);

    /// @notice Sales and joining go on.
    event CampaignResumed(uint256 indexed campaignId);

    /// @notice Sales and joining stop for ever.
    event CampaignEnded(uint256 indexed campaignId);

    /// @notice The account may, or may not, join the invite-only campaign from now on.
    event DistributorAllowed(uint256 indexed campaignId, address indexed account, bool allowed);

    /// @notice The account may, or may not, attest sales of the campaign from now on.
    event AttesterAllowed(uint256 indexed campaignId, address indexed account, bool allowed);

    /// @notice An account joined under a node, or as a root if `parentNodeId` is 0.
    event NodeJoined(
        uint256 indexed campaignId,
        uint256 indexed nodeId,
        uint256 parentNodeId,
        address indexed owner
    );

    /// @notice A sale reserved its path's rewards. `nodeId` 0 is a direct sale; `amount` is what
    /// the contract received, or what was attested; `pool` is the commission after the caps;
    /// `shares` has an entry for each rewarded level, level 1 first, zeros included.
    event SaleRecorded(
        uint256 indexed saleId,
        uint256 indexed campaignId,
        address indexed buyer,
        uint256 nodeId,
        uint256 amount,
        uint256 pool,
        uint256[] shares,
        uint32 policyVersion,
        uint64 holdUntil,
        bytes32 orderKey,
        bytes32 skuHash
    );

    /// @notice The account that attested the sale of the SaleRecorded that follows.
    event SaleAttested(
        uint256 indexed saleId,
        uint256 indexed campaignId,
        address indexed signer,
        uint256 nonce
    );

    /// @notice A refund returned `amount` base units of a level to the vault.
    event RewardReleased(
        uint256 indexed saleId,
        uint256 indexed campaignId,
        uint8 level,
        uint256 nodeId,
        address indexed recipient,
        uint256 amount
    );

    /// @notice A refund is complete; its RewardReleased events come before. `refundedTotal`
    /// includes `amount`.
    event SaleRefunded(
        uint256 indexed saleId,
        uint256 indexed campaignId,
        address indexed buyer,
        uint256 amount,
        uint256 refundedTotal,
        bytes32 reasonHash
    );

    /// @notice A level's `amount` base units became claimable by its recipient.
    event RewardVested(
        uint256 indexed saleId,
        uint256 indexed campaignId,
        uint8 level,
        uint256 nodeId,
        address indexed recipient,
        uint256 amount
    );

    /// @notice A sale is final; its RewardVested events come before.
    event SaleFinalized(uint256 indexed saleId, uint256 indexed campaignId);

    /// @notice A reversal returned `amount` base units of a level to the vault.
    event RewardReversed(
        uint256 indexed saleId,
        uint256 indexed campaignId,
        uint8 level,
        uint256 nodeId,
        address indexed recipient,
        uint256 amount
    );

    /// @notice A reversal is complete; its RewardReversed events come before.
    event SaleReversed(uint256 indexed saleId, uint256 indexed campaignId, bytes32 reasonHash);

    /// @notice A recipient claimed all that it could in the campaign, base units. It was sent,
    /// unless PaymentCredited follows.
    event RewardsClaimed(uint256 indexed campaignId, address indexed account, uint256 amount);

    /// @notice The merchant received all proceeds that it could claim, base units.
    event ProceedsClaimed(uint256 indexed campaignId, address indexed account, uint256 amount);

    /// @notice The token refused to pay the account the refund or reward of the event right before
    /// this one; the account can withdraw `amount` base units with `withdrawCredit`.
    event PaymentCredited(uint256 indexed campaignId, address indexed account, uint256 amount);

    /// @notice An account sent its whole credit, base units, to an address of its choice.
    event CreditWithdrawn(
        uint256 indexed campaignId,
        address indexed account,
        address to,
        uint256 amount
    );

    /// @notice `finalize` left out this entry of its list. Changes no state; not part of the feed.
    event FinalizeSkipped(uint256 indexed saleId, SkipReason reason);

    /// @notice `claimRewards` left out this entry of its list. Changes no state; not part of the
    /// feed.
    event ClaimSkipped(uint256 indexed campaignId, address indexed account, SkipReason reason);
}
