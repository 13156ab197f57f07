// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A token that misbehaves on its outgoing transfers, as configured
/// @notice Anyone may mint, set balances and choose the behaviour: it is for tests.
contract MisbehavingToken {
    /// @notice What `transfer` does; `transferFrom` always behaves, except for `extra`.
    /// @dev NO_ANSWER moves and returns nothing, as USDT does. FALSE refuses by its answer.
    /// FALSE_BUT_MOVES moves and returns false. TAKES_MORE debits the sender a tenth more than
    /// asked. TAKES_NOTHING returns true and moves nothing. GIVES credits the sender instead.
    /// LONG_REFUSAL reverts with 64 KiB of data. ODD_ANSWER moves and returns 2. SHORT_ANSWER moves
    /// and returns one byte. BURNS_GAS uses all gas that it gets. EXPENSIVE uses 440,000 gas and then
    /// moves.
    enum Behaviour {
        NORMAL,
        NO_ANSWER,
        FALSE,
        FALSE_BUT_MOVES,
        TAKES_MORE,
        TAKES_NOTHING,
        GIVES,
        LONG_REFUSAL,
        ODD_ANSWER,
        SHORT_ANSWER,
        BURNS_GAS,
        EXPENSIVE
    }

    /// @notice Decimal places of one token.
    uint8 public constant decimals = 6;

    /// @notice What `transfer` does from now on.
    Behaviour public behaviour;
    /// @notice Base units that `transferFrom` credits the recipient beyond what it moves.
    uint256 public extra;
    /// @notice Balances, base units.
    mapping(address account => uint256) public balanceOf;

    /// @notice Chooses what `transfer` does from now on.
    /// @param behaviour_ The behaviour.
    function setBehaviour(Behaviour behaviour_) external {
        behaviour = behaviour_;
    }

    /// @notice Lets `transferFrom` bring more than was sent.
    /// @param extra_ Base units.
    function setExtra(uint256 extra_) external {
        extra = extra_;
    }

    /// @notice Sets a balance, whatever the supply.
    /// @param account The account.
    /// @param amount Base units.
    function setBalance(address account, uint256 amount) external {
        balanceOf[account] = amount;
    }

    /// @notice Moves tokens, without asking for an allowance.
    /// @param from The sender.
    /// @param to The recipient.
    /// @param amount Base units.
    /// @return Always true.
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        _move(from, to, amount, amount);
        balanceOf[to] += extra;
        return true;
    }

    /// @notice Moves the caller's tokens, or misbehaves.
    /// @param to The recipient.
    /// @param amount Base units.
    /// @return What the behaviour says.
    function transfer(address to, uint256 amount) external returns (bool) {
        Behaviour b = behaviour;
        if (b == Behaviour.FALSE) return false;
        if (b == Behaviour.TAKES_NOTHING) return true;
        if (b == Behaviour.LONG_REFUSAL) {
            assembly {
                revert(0, 65536)
            }
        }
        if (b == Behaviour.BURNS_GAS) {
            assembly {
                invalid()
            }
        }
        if (b == Behaviour.EXPENSIVE) {
            uint256 start = gasleft();
            while (start - gasleft() < 440_000) {}
        }
        if (b == Behaviour.GIVES) {
            balanceOf[msg.sender] += amount;
            return true;
        }
        _move(msg.sender, to, amount, b == Behaviour.TAKES_MORE ? amount + amount / 10 : amount);
        if (b == Behaviour.NO_ANSWER) {
            assembly {
                return(0, 0)
            }
        }
        if (b == Behaviour.ODD_ANSWER || b == Behaviour.SHORT_ANSWER) {
            uint256 size = b == Behaviour.ODD_ANSWER ? 32 : 1;
            assembly {
                mstore(0, 2)
                return(0, size)
            }
        }
        return b != Behaviour.FALSE_BUT_MOVES;
    }

    /// @dev Moves `amount`, and debits the sender `debit`.
    function _move(address from, address to, uint256 amount, uint256 debit) private {
        balanceOf[from] -= debit;
        balanceOf[to] += amount;
    }
}
