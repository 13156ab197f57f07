// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @title A plain ERC-721 token, which a marketplace needs to have something to sell
contract Collectible is ERC721 {
    /// @notice Creates the token.
    constructor() ERC721("Collectible", "ITEM") {}

    /// @notice Mints an item for an account.
    /// @param account The recipient.
    /// @param id The item.
    function mint(address account, uint256 id) external {
        _mint(account, id);
    }
}
