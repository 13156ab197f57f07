// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title What a token does when it is approved and moved
/// @notice Never deployed. An `eth_call` lends this code to an account that holds the token and to two
/// others, so that they can act, and nothing that happens remains.
contract TokenProbe {
    /// @notice How a call of the token ended. A token answers nothing or `true` if it did what it was
    /// asked; OTHER is any other answer, `false` among them.
    enum Answer {
        REVERTED,
        NOTHING,
        TRUE,
        OTHER
    }

    /// @notice A transfer, in base units and units of gas.
    struct Transfer {
        uint256 amount;
        uint256 taken;
        uint256 received;
        uint256 gasUsed;
        Answer answer;
    }

    /// @notice What was seen.
    struct Report {
        Answer approve;
        Answer approveAgain;
        Answer approveZero;
        /// From the holder to an account that plays the contract.
        Transfer incoming;
        /// From that account to a payee.
        Transfer[3] outgoing;
        /// The token called its sender or recipient.
        bool callsBack;
    }

    /// @dev Gas of each call of the token: more than twice what a payment of the contract offers.
    uint256 private constant CALL_GAS = 1_200_000;

    /// @dev True once the account was called by something else than this code.
    bool private _called;

    /// @notice Remembers that the account was called.
    fallback() external {
        _called = true;
    }

    /// @notice Tries the token as its holder.
    /// @param token The token.
    /// @param keeper An account with this code, which plays the contract.
    /// @param payee An account with this code.
    /// @param amount Base units to move, at most; what the holder has decides.
    /// @return r What was seen; `incoming.amount` is 0 if the holder has none.
    function probe(address token, TokenProbe keeper, TokenProbe payee, uint256 amount)
        external
        returns (Report memory r)
    {
        uint256 held = balanceOf(token, address(this));
        if (held < amount) amount = held;
        // Not for the keeper: an allowance that cannot change would be in the way of the transfer.
        (r.approve,) = act(token, abi.encodeCall(IERC20.approve, (address(payee), 1)));
        (r.approveAgain,) = act(token, abi.encodeCall(IERC20.approve, (address(payee), 2)));
        (r.approveZero,) = act(token, abi.encodeCall(IERC20.approve, (address(payee), 0)));
        if (amount == 0) return r;
        act(token, abi.encodeCall(IERC20.approve, (address(keeper), amount)));
        bytes memory data =
            abi.encodeCall(IERC20.transferFrom, (address(this), address(keeper), amount));
        r.incoming = _move(token, keeper, address(this), address(keeper), amount, data);
        // Parts, because a token that counts shares is exact for some amounts.
        uint256 rest = r.incoming.received;
        for (uint256 i; i < 3; ++i) {
            uint256 part = i == 2 ? rest : rest / (2 * i + 3);
            if (part == 0) continue;
            data = abi.encodeCall(IERC20.transfer, (address(payee), part));
            r.outgoing[i] = _move(token, keeper, address(keeper), address(payee), part, data);
            uint256 taken = r.outgoing[i].taken;
            rest = taken < rest ? rest - taken : 0;
        }
        r.callsBack = _called || keeper.wasCalled() || payee.wasCalled();
    }

    /// @notice Calls a token as this account.
    /// @param token The token.
    /// @param data What to call it with.
    /// @return answer How the call ended.
    /// @return gasUsed Units of gas that it used.
    function act(address token, bytes memory data)
        public
        returns (Answer answer, uint256 gasUsed)
    {
        uint256 gasBefore = gasleft();
        bool success;
        uint256 size;
        uint256 word;
        // The answer is not copied beyond its first word, which a token may make long.
        assembly ("memory-safe") {
            success := call(CALL_GAS, token, 0, add(data, 32), mload(data), 0, 32)
            size := returndatasize()
            word := mload(0)
        }
        gasUsed = gasBefore - gasleft();
        if (!success) answer = Answer.REVERTED;
        else if (size == 0) answer = Answer.NOTHING;
        else answer = size >= 32 && word == 1 ? Answer.TRUE : Answer.OTHER;
    }

    /// @notice True if the account was called by something else than this code.
    /// @return Whether it was.
    function wasCalled() external view returns (bool) {
        return _called;
    }

    /// @notice A balance; 0 if the token does not say.
    /// @param token The token.
    /// @param account The account.
    /// @return found Base units.
    function balanceOf(address token, address account) public view returns (uint256 found) {
        bytes memory data = abi.encodeCall(IERC20.balanceOf, (account));
        assembly ("memory-safe") {
            let success := staticcall(CALL_GAS, token, add(data, 32), mload(data), 0, 32)
            if and(success, gt(returndatasize(), 31)) { found := mload(0) }
        }
    }

    /// @dev Lets `keeper` call the token, and measures what moved.
    function _move(
        address token,
        TokenProbe keeper,
        address from,
        address to,
        uint256 amount,
        bytes memory data
    ) private returns (Transfer memory t) {
        uint256 fromBefore = balanceOf(token, from);
        uint256 toBefore = balanceOf(token, to);
        t.amount = amount;
        (t.answer, t.gasUsed) = keeper.act(token, data);
        uint256 fromAfter = balanceOf(token, from);
        uint256 toAfter = balanceOf(token, to);
        t.taken = fromAfter < fromBefore ? fromBefore - fromAfter : 0;
        t.received = toAfter > toBefore ? toAfter - toBefore : 0;
    }
}
