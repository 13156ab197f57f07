// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReferralCommerce} from "../ReferralCommerce.sol";

/// @title A buyer that makes many purchases in one call
/// @notice Fills a chain with real sales, some hundred a block. It pays with its own tokens.
contract BulkBuyer {
    /// @dev The protocol.
    ReferralCommerce private immutable COMMERCE;

    constructor(ReferralCommerce commerce, IERC20 token) {
        COMMERCE = commerce;
        token.approve(address(commerce), type(uint256).max);
    }

    /// @notice Buys once for each entry of the lists, at any price.
    /// @param campaignIds The campaign of each.
    /// @param nodeIds The node that sells each; 0 for none.
    /// @param skuHash The variant to buy, in all campaigns.
    /// @param firstOrder The first order key; the others follow it.
    function buyAll(
        uint256[] calldata campaignIds,
        uint256[] calldata nodeIds,
        bytes32 skuHash,
        uint256 firstOrder
    ) external {
        for (uint256 i = 0; i < campaignIds.length; i++) {
            uint256 nodeId = nodeIds[i];
            COMMERCE.buy(
                campaignIds[i],
                COMMERCE.campaign(campaignIds[i]).termsHash,
                nodeId,
                nodeId == 0 ? address(0) : COMMERCE.node(nodeId).owner,
                skuHash,
                bytes32(firstOrder + i),
                type(uint256).max,
                1
            );
        }
    }
}
