// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IReferralTypes} from "../IReferralCommerce.sol";
import {Policies} from "../libraries/Policies.sol";
import {Split} from "../libraries/Split.sol";
import {StoredLedger, StoredNode} from "../libraries/Stored.sol";

/// @title The split of the protocol, with a state that a test can choose
/// @notice Lets a test ask for the splits of thousands of states in a few calls. The contract calls
/// the same function for each sale and for `quoteSale`.
contract SplitHarness {
    /// @notice A state, a policy and a sale.
    struct Case {
        uint128 amount;
        uint128 liability;
        uint128 available;
        uint256 pathLength;
        IReferralTypes.Policy policy;
    }

    /// @notice The split of a case; `again` are the shares as a stored sale derives them later.
    struct Quote {
        uint256 pool;
        uint256[] shares;
        uint256[] again;
    }

    /// @dev One path; node `n` has `n` nodes on its path.
    mapping(uint256 nodeId => StoredNode) private _nodes;
    /// @dev Ledger of the present case.
    StoredLedger private _ledger;
    /// @dev Policy of the present case.
    Policies.Stored private _policy;

    /// @notice Creates the path.
    /// @param pathLengthMax Nodes on the longest path.
    constructor(uint256 pathLengthMax) {
        for (uint256 i = 1; i <= pathLengthMax; ++i) {
            _nodes[i] = StoredNode(msg.sender, 1, uint48(i - 1));
        }
    }

    /// @notice Splits each case.
    /// @param cases The cases.
    /// @return quotes In the same order.
    function quoteCases(Case[] calldata cases) external returns (Quote[] memory quotes) {
        quotes = new Quote[](cases.length);
        for (uint256 i; i < cases.length; ++i) {
            Case calldata c = cases[i];
            _ledger.liability = c.liability;
            _ledger.available = c.available;
            Policies.check(c.policy, c.policy.rewardToken, 0);
            Policies.store(_policy, c.policy, 0);
            Quote memory q = quotes[i];
            Policies.Rule memory rule = _policy.rule;
            (q.pool, q.shares,) =
                Split.quote(_nodes, _ledger, _policy, rule, c.pathLength, c.amount);
            (q.again,) = Split.sharesDown(rule, q.pool, q.shares.length);
        }
    }
}
