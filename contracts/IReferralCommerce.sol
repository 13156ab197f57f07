// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Types and events of the referral commerce protocol
/// @notice The events are enough to rebuild the whole state.
/// @dev Amounts are base units of the campaign's token, times are unix seconds, rates are basis
/// points. Errors are in `libraries/Errors.sol`.
interface IReferralTypes {
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
    /// 7776000; no sale at or after `expiry`; with `excludesSelfReferral`, no sale to the owner of a
    /// node that the sale would reward; a list has at most 32 entries of 64 bytes.
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
        bool excludesSelfReferral;
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

    /// @notice How the price of an order, or its funding, reaches the contract: by an allowance
    /// that the signer has given; by one that a permit of EIP-2612 gives; or by an authorization of
    /// EIP-3009.
    enum PaymentKind {
        ALLOWANCE,
        PERMIT,
        AUTHORIZATION
    }

    /// @notice How to take the money of an order's signer.
    /// @dev `validAfter` and `validBefore` of the authorization, unix seconds; `validBefore` is the
    /// deadline of a permit; both 0 for an allowance. `signature` is that of the permit or the
    /// authorization; empty for an allowance. A permit is over the order's `maxAmount` or `amount`;
    /// an authorization too, and its nonce is the digest of the order.
    struct Payment {
        PaymentKind kind;
        uint256 validAfter;
        uint256 validBefore;
        bytes signature;
    }

    /// @notice An order to buy, as its buyer signs it (EIP-712); the fields are those of `buy`.
    /// @dev Valid up to and including `deadline`, unix seconds. `orderKey` can be used once.
    struct BuyOrder {
        uint256 campaignId;
        bytes32 termsHash;
        address buyer;
        uint256 nodeId;
        address nodeOwner;
        bytes32 skuHash;
        bytes32 orderKey;
        uint256 maxAmount;
        uint32 minPolicyVersion;
        uint64 deadline;
    }

    /// @notice An order to join, as its account signs it (EIP-712); the fields are those of `join`.
    /// @dev `salt` distinguishes equal orders: each can be used once, up to and including `deadline`.
    struct JoinOrder {
        uint256 campaignId;
        bytes32 termsHash;
        address account;
        uint256 parentNodeId;
        address parentOwner;
        bytes32 salt;
        uint64 deadline;
    }

    /// @notice An order to fund, as its account signs it (EIP-712); the fields are those of `fund`.
    /// @dev `salt` distinguishes equal orders: each can be used once, up to and including `deadline`.
    struct FundOrder {
        uint256 campaignId;
        bytes32 termsHash;
        address account;
        uint256 amount;
        bytes32 salt;
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
        bool excludesSelfReferral;
        bytes32 eligibilityHash;
        bytes32 policyHash;
    }

    /// @notice What an attester may attest in a campaign: sales of at most `perOrder` each and
    /// `daily` within one day (UTC), base units, before `expiry`; `expiry` 0 allows none.
    /// `attestedToday` is what it has attested today; a refund does not lower it.
    struct AttesterLimits {
        uint256 perOrder;
        uint256 daily;
        uint64 expiry;
        uint256 attestedToday;
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

    /// @notice The account may attest sales of the campaign from now on, of at most `perOrder`
    /// each and `daily` within one day (UTC), base units, before `expiry`; none if that is 0.
    event AttesterAllowed(
        uint256 indexed campaignId,
        address indexed account,
        uint256 perOrder,
        uint256 daily,
        uint64 expiry
    );

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

    /// @notice A sale is final; its RewardVested events come before. `refundedTotal` is the sum of
    /// its refunds, base units, so that none can be left out of its history.
    event SaleFinalized(uint256 indexed saleId, uint256 indexed campaignId, uint256 refundedTotal);

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

/// @title Setting up and managing a campaign
interface ICampaignSetup is IReferralTypes {
    /// @notice Creates a campaign; the caller becomes its merchant. Version 1 of the policy takes
    /// effect immediately. Reverts if the merchant has used the same terms before.
    /// @param input The campaign's properties; `endsAt` is after `startsAt` and after now.
    /// @param policy The reward policy; its token is the campaign's token.
    /// @return campaignId The new campaign; ids count from 1.
    function createCampaign(CampaignInput calldata input, Policy calldata policy)
        external
        returns (uint256 campaignId);

    /// @notice Sets the price of a variant. Pricing the campaign's own SKU changes the campaign's
    /// price.
    /// @param campaignId The campaign.
    /// @param skuHash The variant.
    /// @param price Base units, above zero.
    function setVariantPrice(uint256 campaignId, bytes32 skuHash, uint256 price) external;

    /// @notice Schedules the next version of the reward policy. A later expiry revives a campaign
    /// that expired by its policy, before its `endsAt`.
    /// @param campaignId The campaign.
    /// @param policy The reward policy; its token is the campaign's token.
    /// @param effectiveAt Unix seconds, at least 3,600 from now; at most 4 versions wait.
    function schedulePolicy(uint256 campaignId, Policy calldata policy, uint64 effectiveAt)
        external;

    /// @notice Stops sales and joining until `resume`.
    /// @param campaignId The campaign; neither paused, ended nor expired.
    function pause(uint256 campaignId) external;

    /// @notice Undoes `pause`.
    /// @param campaignId The campaign; paused and not ended.
    function resume(uint256 campaignId) external;

    /// @notice Ends the campaign for good: no more sales and nodes.
    /// @param campaignId The campaign; not ended yet.
    function end(uint256 campaignId) external;

    /// @notice Allows an account to join an invite-only campaign, or withdraws that permission.
    /// @param campaignId The campaign.
    /// @param account The distributor.
    /// @param allowed True if it may join from now on. Nodes that it already owns stay.
    function allowDistributor(uint256 campaignId, address account, bool allowed) external;

    /// @notice Allows an account to attest sales of a THIRD_PARTY_VERIFIED campaign, within limits,
    /// or withdraws that permission if `expiry` is 0. A stolen key of an attester can do no
    /// more. Sales that it already attested stay, and it can consent to their refunds for ever.
    /// @param campaignId The campaign.
    /// @param account The attester.
    /// @param perOrder Largest amount of one sale, base units, above zero.
    /// @param daily Largest sum of the sales of one day (UTC), base units, above zero. What it has
    /// attested today counts, also under earlier limits.
    /// @param expiry Unix seconds, after now: it may attest before that time; or 0.
    function allowAttester(
        uint256 campaignId,
        address account,
        uint256 perOrder,
        uint256 daily,
        uint64 expiry
    ) external;

    /// @notice Raises the total number of nodes and sales that the campaign may have.
    /// @param campaignId The campaign.
    /// @param nodeCapacity New total of nodes, not below the present one.
    /// @param saleCapacity New total of sales, not below the present one.
    function raiseCapacity(uint256 campaignId, uint64 nodeCapacity, uint64 saleCapacity) external;
}

/// @title Functions of the referral commerce protocol
interface IReferralCommerce is ICampaignSetup {
    // ───────────────────────────── funding and joining ─────────────────────────────

    /// @notice Puts the caller's tokens into the campaign's rewards vault, at any time. The first
    /// funding opens the campaign, so only the merchant can make it.
    /// @param campaignId The campaign.
    /// @param termsHash The campaign's terms.
    /// @param amount Base units taken from the caller; the vault gets what arrives.
    function fund(uint256 campaignId, bytes32 termsHash, uint256 amount) external;

    /// @notice Joins the campaign. The caller owns the node and receives its rewards; that never
    /// changes.
    /// @param campaignId The campaign; neither paused, ended nor expired.
    /// @param termsHash The campaign's terms.
    /// @param parentNodeId A node of the same campaign, or 0 for a root.
    /// @param parentOwner The owner of the parent node; 0 for a root.
    /// @return nodeId The new node; ids count from 1, over all campaigns.
    function join(uint256 campaignId, bytes32 termsHash, uint256 parentNodeId, address parentOwner)
        external
        returns (uint256 nodeId);

    // ───────────────────────────── sales ─────────────────────────────

    /// @notice Buys a variant at its price, and reserves the path's rewards.
    /// @param campaignId A NATIVE_ONCHAIN campaign, funded, started and running.
    /// @param termsHash The campaign's terms.
    /// @param nodeId The selling node, or 0 for a direct sale.
    /// @param nodeOwner The owner of the selling node; 0 for a direct sale.
    /// @param skuHash The variant.
    /// @param orderKey The buyer's own name of the order. It can be used once in the campaign, so a
    /// retry never buys twice.
    /// @param maxAmount Highest price that the buyer accepts, base units.
    /// @param minPolicyVersion Lowest policy version that the buyer accepts.
    /// @return saleId The new sale; ids count from 1, over all campaigns.
    function buy(
        uint256 campaignId,
        bytes32 termsHash,
        uint256 nodeId,
        address nodeOwner,
        bytes32 skuHash,
        bytes32 orderKey,
        uint256 maxAmount,
        uint32 minPolicyVersion
    ) external returns (uint256 saleId);

    /// @notice Records a sale that was paid outside the contract, and reserves the path's rewards.
    /// Anyone may relay it. It moves no price.
    /// @param attestation The sale. An order key can be used once per campaign and buyer, a nonce
    /// once per campaign and signer. The deadline is at most 900 seconds ahead.
    /// @param signature EIP-712 signature of the merchant or an attester, depending on the trust
    /// mode.
    /// @return saleId The new sale; ids count from 1, over all campaigns.
    function recordAttestedSale(SaleAttestation calldata attestation, bytes calldata signature)
        external
        returns (uint256 saleId);

    // ───────────────────────────── signed orders ─────────────────────────────

    /// @notice Buys for the buyer of an order, as `buy` would for a caller. Anyone may send it.
    /// @param order The order.
    /// @param signature The buyer's (ECDSA or ERC-1271); empty if an authorization pays.
    /// @param payment How to take the price. An authorization must be of exactly the price.
    /// @return saleId The new sale; ids count from 1, over all campaigns.
    function buyFor(BuyOrder calldata order, bytes calldata signature, Payment calldata payment)
        external
        returns (uint256 saleId);

    /// @notice Joins for the account of an order, as `join` would for a caller. Anyone may send it.
    /// @param order The order.
    /// @param signature The account's (ECDSA or ERC-1271).
    /// @return nodeId The new node; ids count from 1, over all campaigns.
    function joinFor(JoinOrder calldata order, bytes calldata signature)
        external
        returns (uint256 nodeId);

    /// @notice Funds for the account of an order, as `fund` would for a caller. Anyone may send it.
    /// @param order The order.
    /// @param signature The account's (ECDSA or ERC-1271); empty if an authorization pays.
    /// @param payment How to take the amount.
    function fundFor(FundOrder calldata order, bytes calldata signature, Payment calldata payment)
        external;

    /// @notice Returns whether an order to join or to fund has been used. An order to buy is used
    /// when `saleIdOf` its campaign, buyer and key is not 0.
    /// @param digest EIP-712 digest of the order.
    function isOrderUsed(bytes32 digest) external view returns (bool);

    // ───────────────────────────── settlement ─────────────────────────────

    /// @notice Refunds a pending sale in part or in whole; only for its merchant. Each level keeps
    /// its share of what is left; a native buyer is paid out of the pending proceeds, or credited
    /// if the token refuses. Also works after the hold, until someone finalizes.
    /// @param saleRef The sale.
    /// @param amount Base units, above zero; refunds add up.
    /// @param reasonHash Hash of the merchant's reason.
    /// @param deadline Deadline of the signature, unix seconds; ignored if there is none.
    /// @param attesterSignature RefundApproval by the sale's attester in a THIRD_PARTY_VERIFIED
    /// campaign, empty elsewhere.
    function refund(
        SaleRef calldata saleRef,
        uint256 amount,
        bytes32 reasonHash,
        uint64 deadline,
        bytes calldata attesterSignature
    ) external;

    /// @notice Finalizes sales whose hold is over: rewards become claimable, proceeds too. By
    /// anyone. Skips sales that are not due, already closed or unknown, and emits which.
    /// @param saleIds The sales.
    function finalize(uint256[] calldata saleIds) external;

    /// @notice Reverses the rewards of an attested sale within 30 days of its finalization; only
    /// for its merchant. A level is left alone if its recipient has claimed in the campaign since
    /// it vested; any other level is reversed completely.
    /// @param saleRef The sale.
    /// @param reasonHash Hash of the merchant's reason.
    /// @param deadline Deadline of the signature, unix seconds; ignored if there is none.
    /// @param attesterSignature ReversalApproval by the sale's attester in a THIRD_PARTY_VERIFIED
    /// campaign, empty elsewhere.
    function reverse(
        SaleRef calldata saleRef,
        bytes32 reasonHash,
        uint64 deadline,
        bytes calldata attesterSignature
    ) external;

    // ───────────────────────────── payments and views ─────────────────────────────

    /// @notice Pays the caller all its claimable rewards of the campaigns, or credits them if the
    /// token refuses to pay the caller. Skips campaigns where there is nothing to claim, and emits
    /// which; so a campaign that is named twice is paid once.
    /// @param campaignIds The campaigns, in any state.
    /// @return amounts Base units of each campaign's token, in the order of the list.
    function claimRewards(uint256[] calldata campaignIds)
        external
        returns (uint256[] memory amounts);

    /// @notice Pays the merchant all proceeds of finalized sales of a campaign.
    /// @param campaignId The campaign, in any state.
    /// @return amount Base units sent.
    function claimProceeds(uint256 campaignId) external returns (uint256 amount);

    /// @notice Pays the merchant what is not reserved, once the campaign can sell no more. An
    /// expired policy is not enough, because a later version can revive the campaign.
    /// @param campaignId The campaign, ended or past its `endsAt`.
    /// @param amount Base units, above zero, at most what is available.
    function withdrawSurplus(uint256 campaignId, uint256 amount) external;

    /// @notice Pays the caller's whole credit in a campaign to an address of its choice; reverts if
    /// the token refuses to pay that address.
    /// @param campaignId The campaign, in any state.
    /// @param to The recipient.
    function withdrawCredit(uint256 campaignId, address to) external;

    /// @notice Returns a campaign, with its counters and flags.
    /// @param campaignId The campaign.
    function campaign(uint256 campaignId) external view returns (Campaign memory);

    /// @notice Returns the present state of a campaign.
    /// @param campaignId The campaign.
    function campaignState(uint256 campaignId) external view returns (CampaignState);

    /// @notice Returns the eleven sums of a campaign, base units.
    /// @param campaignId The campaign.
    function campaignLedger(uint256 campaignId) external view returns (CampaignLedger memory);

    /// @notice Returns what `claimRewards` would pay an account, base units.
    /// @param campaignId The campaign.
    /// @param account The recipient.
    function claimableRewards(uint256 campaignId, address account) external view returns (uint256);

    /// @notice Returns what `withdrawCredit` would pay an account, base units.
    /// @param campaignId The campaign.
    /// @param account The account.
    function creditOf(uint256 campaignId, address account) external view returns (uint256);

    /// @notice Returns how many nodes of a campaign an account owns.
    /// @param campaignId The campaign.
    /// @param account The account.
    function nodeCountOf(uint256 campaignId, address account) external view returns (uint256);

    /// @notice Returns a node.
    /// @param nodeId The node.
    function node(uint256 nodeId) external view returns (Node memory);

    /// @notice Returns a sale.
    /// @param saleId The sale.
    function sale(uint256 saleId) external view returns (Sale memory);

    /// @notice Returns the policy version in effect at a time: the highest whose `effectiveAt` is
    /// not after that time.
    /// @param campaignId The campaign.
    /// @param timestamp Unix seconds; a future time gets the version that is scheduled so far.
    function policyAt(uint256 campaignId, uint256 timestamp)
        external
        view
        returns (PolicyVersion memory);

    /// @notice Returns the number of policy versions of a campaign, including those not in effect
    /// yet.
    /// @param campaignId The campaign.
    function policyCount(uint256 campaignId) external view returns (uint256);

    /// @notice Returns what an account may attest in a campaign; all 0 if it never could.
    /// @param campaignId The campaign.
    /// @param account The attester.
    function attesterLimits(uint256 campaignId, address account)
        external
        view
        returns (AttesterLimits memory);

    /// @notice Returns what the contract owes in a token, base units: the sum over the campaigns of
    /// that token of available, pendingReserved, vestedUnclaimed, proceedsPending, proceedsClaimable
    /// and creditOutstanding. It is solvent as long as its balance is not lower.
    /// @param token The token.
    function obligationsOf(address token) external view returns (uint256);

    /// @notice Returns what a sale would reserve now, even if the campaign does not sell now.
    /// @param campaignId The campaign.
    /// @param nodeId The selling node, or 0 for a direct sale.
    /// @param amount Base units that the contract would receive, at most 2^128 − 1.
    /// @return pool Commission after the caps, base units.
    /// @return shares Share of each rewarded level, level 1 first, base units.
    function quoteSale(uint256 campaignId, uint256 nodeId, uint256 amount)
        external
        view
        returns (uint256 pool, uint256[] memory shares);
}
