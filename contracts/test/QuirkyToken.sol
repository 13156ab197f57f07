// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {OddToken} from "./OddToken.sol";

/// @title A token with the odd behaviours of tokens in use, each of which can be switched on
/// @notice Anyone may mint, and change everything about it: it is for tests.
contract QuirkyToken is OddToken {
    /// @notice One odd behaviour.
    enum Quirk {
        APPROVE_FROM_ZERO_ONLY,
        REFUSES_APPROVE_ZERO,
        RETURNS_NOTHING,
        FALSE_ON_FAILURE,
        FALSE_ON_SUCCESS,
        REFUSES_ZERO_TRANSFER,
        UINT96,
        FEE,
        FEE_ON_TOP,
        REFUSES_SELF_AND_ZERO,
        OWN_BALANCE_NEEDS_NO_ALLOWANCE,
        INFINITE_ALLOWANCE_FALLS,
        MAX_MEANS_BALANCE,
        CALLS_RECIPIENT,
        PAUSED,
        REPORTS_ANY_BALANCE,
        BURNS_GAS_ON_TRANSFER,
        ENDLESS_NAME
    }

    /// @notice A refused call.
    error Refused(Quirk quirk);

    /// @notice Whether the recipient that was called last did not revert.
    bool public recipientAnswered;

    /// @dev Shares are worth `index` / 1e18 base units each: rounding, and rebasing by a new index.
    uint256 private _index = 1e18;
    /// @dev Bit `1 << Quirk`.
    uint256 private _quirks;
    /// @dev Shares by account.
    mapping(address account => uint256) private _shares;
    /// @dev Accounts that neither send nor receive.
    mapping(address account => bool) private _blocked;

    /// @notice What a spender may take of an account, base units.
    mapping(address account => mapping(address spender => uint256)) public allowance;

    /// @notice Creates the token.
    /// @param decimals_ Raw answer to `decimals()`.
    /// @param symbol_ Raw answer to `symbol()`.
    /// @param name_ Raw answer to `name()`.
    /// @param quirks Bits of its behaviours.
    /// @param index Value of 1e18 shares, base units.
    constructor(
        bytes memory decimals_,
        bytes memory symbol_,
        bytes memory name_,
        uint256 quirks,
        uint256 index
    ) OddToken(decimals_, symbol_, name_) {
        _quirks = quirks;
        _index = index;
    }

    /// @notice Changes the behaviours.
    /// @param quirks Bits of the behaviours from now on.
    function setQuirks(uint256 quirks) external {
        _quirks = quirks;
    }

    /// @notice Changes all balances.
    /// @param index Value of 1e18 shares from now on, base units.
    function setIndex(uint256 index) external {
        _index = index;
    }

    /// @notice Blocks an account, or unblocks it.
    /// @param account The account.
    /// @param blocked Whether it is blocked from now on.
    function setBlocked(address account, bool blocked) external {
        _blocked[account] = blocked;
    }

    /// @notice Creates tokens.
    /// @param account Who gets them.
    /// @param amount Base units.
    function mint(address account, uint256 amount) external {
        uint256 shares = _toShares(amount);
        bool isShort = _index != 1e18 && shares * _index / 1e18 < amount;
        _shares[account] += isShort ? shares + 1 : shares;
    }

    /// @notice Lets a spender take tokens.
    /// @param spender The spender.
    /// @param amount Base units.
    /// @return True, unless a behaviour says otherwise.
    function approve(address spender, uint256 amount) external returns (bool) {
        uint256 current = allowance[msg.sender][spender];
        if (amount != 0 && current != 0 && _has(Quirk.APPROVE_FROM_ZERO_ONLY)) {
            return _refuse(Quirk.APPROVE_FROM_ZERO_ONLY);
        }
        if (amount == 0 && _has(Quirk.REFUSES_APPROVE_ZERO)) {
            return _refuse(Quirk.REFUSES_APPROVE_ZERO);
        }
        if (_has(Quirk.UINT96) && amount >> 96 != 0) {
            if (amount != type(uint256).max) return _refuse(Quirk.UINT96);
            amount = type(uint96).max;
        }
        allowance[msg.sender][spender] = amount;
        return _done(false);
    }

    /// @notice Moves the caller's tokens.
    /// @param to The recipient.
    /// @param amount Base units.
    /// @return True, unless a behaviour says otherwise.
    function transfer(address to, uint256 amount) external returns (bool) {
        if (_has(Quirk.BURNS_GAS_ON_TRANSFER)) _burn();
        return _transfer(msg.sender, to, amount);
    }

    /// @notice Moves an account's tokens.
    /// @param from The account.
    /// @param to The recipient.
    /// @param amount Base units.
    /// @return True, unless a behaviour says otherwise.
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (msg.sender != from || !_has(Quirk.OWN_BALANCE_NEEDS_NO_ALLOWANCE)) {
            uint256 moved = amount;
            if (amount == type(uint256).max && _has(Quirk.MAX_MEANS_BALANCE)) {
                moved = balanceOf(from);
            }
            if (allowed < moved) return _refuse(Quirk.FALSE_ON_FAILURE);
            if (allowed != type(uint256).max || _has(Quirk.INFINITE_ALLOWANCE_FALLS)) {
                allowance[from][msg.sender] = allowed - moved;
            }
        }
        return _transfer(from, to, amount);
    }

    /// @notice A balance.
    /// @param account The account.
    /// @return Base units.
    function balanceOf(address account) public view returns (uint256) {
        // More at each call of a transaction.
        if (_has(Quirk.REPORTS_ANY_BALANCE)) return type(uint128).max - gasleft();
        uint256 shares = _shares[account];
        return _index == 1e18 ? shares : shares * _index / 1e18;
    }

    /// @dev Answers a name without an end, if it has one.
    function _answer(bytes4 selector) internal view override returns (bytes memory) {
        bool isText = selector == IERC20Metadata.name.selector
            || selector == IERC20Metadata.symbol.selector;
        if (isText && _has(Quirk.ENDLESS_NAME)) {
            assembly {
                // Longer for each unit of gas that it gets: a megabyte for three million.
                return(0, div(gas(), 3))
            }
        }
        return super._answer(selector);
    }

    /// @dev Moves tokens as the behaviours say.
    function _transfer(address from, address to, uint256 amount) private returns (bool) {
        if (_has(Quirk.PAUSED)) return _refuse(Quirk.PAUSED);
        if (_blocked[from] || _blocked[to]) return _refuse(Quirk.PAUSED);
        if (amount == 0 && _has(Quirk.REFUSES_ZERO_TRANSFER)) {
            return _refuse(Quirk.REFUSES_ZERO_TRANSFER);
        }
        if ((to == from || to == address(0)) && _has(Quirk.REFUSES_SELF_AND_ZERO)) {
            return _refuse(Quirk.REFUSES_SELF_AND_ZERO);
        }
        if (amount == type(uint256).max && _has(Quirk.MAX_MEANS_BALANCE)) amount = balanceOf(from);
        if (_has(Quirk.UINT96) && amount >> 96 != 0) return _refuse(Quirk.UINT96);
        uint256 shares = _toShares(amount);
        uint256 debit = _has(Quirk.FEE_ON_TOP) ? shares + shares / 100 : shares;
        if (_shares[from] < debit) return _refuse(Quirk.FALSE_ON_FAILURE);
        _shares[from] -= debit;
        _shares[to] += _has(Quirk.FEE) ? shares - shares / 100 : shares;
        if (_has(Quirk.CALLS_RECIPIENT) && to.code.length != 0) {
            // What the recipient does is no concern of the token.
            (recipientAnswered,) = to.call(abi.encodeWithSignature("tokensReceived(uint256)", amount));
        }
        return _done(msg.sender == from && _has(Quirk.FALSE_ON_SUCCESS));
    }

    /// @dev Ends a call that did what it was asked.
    function _done(bool denies) private view returns (bool) {
        if (_has(Quirk.RETURNS_NOTHING)) {
            assembly {
                return(0, 0)
            }
        }
        return !denies;
    }

    /// @dev Ends a call that is refused.
    function _refuse(Quirk quirk) private view returns (bool) {
        if (!_has(Quirk.FALSE_ON_FAILURE)) revert Refused(quirk);
        return false;
    }

    /// @dev Uses all gas.
    function _burn() private pure {
        assembly {
            invalid()
        }
    }

    /// @dev Shares of an amount, rounded down as stETH does.
    function _toShares(uint256 amount) private view returns (uint256) {
        return _index == 1e18 ? amount : amount * 1e18 / _index;
    }

    /// @dev True if the behaviour is on.
    function _has(Quirk quirk) private view returns (bool) {
        return _quirks & (1 << uint8(quirk)) != 0;
    }
}
