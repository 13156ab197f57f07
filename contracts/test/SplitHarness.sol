// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ReferralCommerce} from "../ReferralCommerce.sol";
import {Policies} from "../libraries/Policies.sol";

/// @title The protocol with a campaign whose state a test can choose
/// @notice Lets a test ask `quoteSale` about thousands of states in a few calls.
contract SplitHarness is ReferralCommerce {
    /// @dev The one campaign.
    uint256 private constant CAMPAIGN_ID = 1;

    /// @notice A state, a policy and a sale.
    struct Case {
        uint256 amount;
        uint256 liability;
        uint256 available;
        uint256 pathLength;
        uint16 commissionBps;
        uint256 perSaleCap;
        uint256 campaignLiabilityCap;
        uint8 maxRewardedAncestors;
        uint16[] weightsBps;
        ShortPathMode shortPathMode;
    }

    /// @notice The answer of `quoteSale`.
    struct Quote {
        uint256 pool;
        uint256[] shares;
    }

    /// @notice Creates a campaign with one path; node `n` has `n` nodes on its path.
    /// @param pathLengthMax Nodes on the longest path.
    constructor(uint256 pathLengthMax) {
        _campaigns[CAMPAIGN_ID].merchant = msg.sender;
        _policies[CAMPAIGN_ID].push();
        for (uint256 i = 1; i <= pathLengthMax; ++i) {
            _nodes[i] = StoredNode(msg.sender, uint48(CAMPAIGN_ID), uint48(i - 1));
        }
    }

    /// @notice Quotes each case.
    /// @param cases The cases.
    /// @return quotes In the same order.
    function quoteCases(Case[] calldata cases) external returns (Quote[] memory quotes) {
        quotes = new Quote[](cases.length);
        for (uint256 i; i < cases.length; ++i) {
            _enter(cases[i]);
            (quotes[i].pool, quotes[i].shares) =
                this.quoteSale(CAMPAIGN_ID, cases[i].pathLength, cases[i].amount);
        }
    }

    /// @dev Sets the campaign's state to that of a case; liability has all of its three parts.
    function _enter(Case calldata c) private {
        CampaignLedger storage ledger = _ledgers[CAMPAIGN_ID];
        ledger.pendingReserved = c.liability / 2;
        ledger.vestedUnclaimed = c.liability / 3;
        ledger.rewardsClaimed = c.liability - c.liability / 2 - c.liability / 3;
        ledger.available = c.available;
        Policies.Stored storage policy = _policies[CAMPAIGN_ID][0];
        policy.commissionBps = c.commissionBps;
        policy.perSaleCap = c.perSaleCap;
        policy.campaignLiabilityCap = c.campaignLiabilityCap;
        policy.maxRewardedAncestors = c.maxRewardedAncestors;
        policy.shortPathMode = c.shortPathMode;
        for (uint256 i; i < c.weightsBps.length; ++i) policy.weightsBps[i] = c.weightsBps[i];
    }
}
