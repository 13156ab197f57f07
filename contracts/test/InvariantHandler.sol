// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IReferralCommerce, IReferralTypes} from "../IReferralCommerce.sol";
import {ReferralCommerce} from "../ReferralCommerce.sol";
import {TestToken} from "../TestToken.sol";
import {BlocklistToken} from "./BlocklistToken.sol";
import {HostileToken} from "./HostileToken.sol";
import {MisbehavingToken} from "./MisbehavingToken.sol";

/// @title An account of the handler: it calls what the handler says, and signs everything
contract Actor is IERC1271 {
    /// @notice Calls, and reports the outcome.
    /// @param target Whom to call.
    /// @param data What to call it with.
    function execute(address target, bytes calldata data)
        external
        returns (bool success, bytes memory answer)
    {
        (success, answer) = target.call{gas: 3_000_000}(data);
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return IERC1271.isValidSignature.selector;
    }
}

/// @title Random sequences of calls, with the invariants checked after each call
/// @notice A transaction runs one sequence, which its seed decides. Accounts, campaigns and sales of
/// earlier sequences stay, so the caller moves the time between two sequences.
/// @dev The handler counts what went in and out on its own, so that no field of a ledger is compared
/// with one that follows from it.
contract InvariantHandler {
    /// @notice What a step does.
    enum Action {
        CREATE,
        FUND,
        JOIN,
        BUY,
        BUY_FOR,
        ATTEST_AS_MERCHANT,
        ATTEST_AS_THIRD_PARTY,
        REFUND,
        FINALIZE,
        REVERSE,
        CLAIM_REWARDS,
        CLAIM_PROCEEDS,
        WITHDRAW_SURPLUS,
        WITHDRAW_CREDIT,
        PAUSE,
        RESUME,
        END,
        SET_PRICE,
        SCHEDULE_POLICY,
        DONATE,
        CHANGE_TOKEN
    }

    /// @notice What must hold after every call; the last three are checked by `audit` alone.
    enum Invariant {
        BALANCE_COVERS_OBLIGATIONS,
        BALANCE_IS_OBLIGATIONS_AND_DONATIONS,
        OBLIGATIONS_ARE_THE_LEDGERS,
        DEPOSITS,
        REWARDS,
        SALES,
        READABLE_LEDGER,
        CLAIMABLE_BY_ACCOUNT,
        CREDIT_BY_ACCOUNT,
        PENDING_BY_SALE
    }

    /// @dev A campaign, and what the handler has counted of it, base units.
    struct Info {
        uint256 token;
        uint256 merchant;
        bytes32 termsHash;
        IReferralTypes.TrustMode trustMode;
        uint256 deposited;
        uint256 withdrawn;
        uint256 claimed;
        uint256 sold;
        uint256[] nodes;
    }

    /// @notice An invariant was false after a step of the sequence of a seed.
    /// @param seed The seed of the sequence.
    /// @param step The step, counted from 1; 0 if it was false before the first.
    /// @param action What the step did; CREATE before the first.
    /// @param invariant What was false.
    /// @param id Number of the token, or of the campaign.
    /// @param found What the contract has.
    /// @param expected What it should have, at least or exactly.
    error InvariantBroken(
        uint256 seed,
        uint256 step,
        Action action,
        Invariant invariant,
        uint256 id,
        uint256 found,
        uint256 expected
    );

    /// @dev Campaigns that the handler creates at most: each is read after every call.
    uint256 private constant CAMPAIGNS_MAX = 5;
    /// @dev Accounts of the handler: two merchants, two buyers and four distributors, in that order.
    uint256 private constant ACTORS = 8;
    uint256 private constant MERCHANTS = 2;
    uint256 private constant BUYERS_END = 4;
    /// @dev Number of different actions.
    uint256 private constant ACTIONS = 21;
    /// @dev Tokens, by their numbers.
    uint256 private constant TOKENS = 5;
    uint256 private constant BLOCKLIST = 2;
    uint256 private constant MISBEHAVING = 3;
    uint256 private constant HOSTILE = 4;
    /// @dev The variant of all campaigns.
    bytes32 private constant SKU = keccak256("sku");
    /// @dev Order of the curve secp256k1, and x of its generator.
    uint256 private constant CURVE_ORDER =
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    uint256 private constant GENERATOR_X =
        0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798;
    /// @dev The account whose private key is 1.
    address private constant ATTESTER = 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;

    /// @dev The protocol.
    ReferralCommerce private immutable COMMERCE;
    /// @dev EIP-712 domain of the protocol.
    bytes32 private immutable DOMAIN;

    address[TOKENS] private _tokens;
    Actor[ACTORS] private _actors;
    /// @dev Campaigns by id; the first is unused, because ids count from 1.
    Info[] private _infos;
    /// @dev Order keys by sale.
    mapping(uint256 saleId => bytes32) private _orderKeys;
    /// @dev Sent to the protocol without a call of it, by number of the token.
    uint256[TOKENS] private _donated;
    /// @dev How often each action did something.
    uint256[ACTIONS] private _successes;

    /// @dev Where the present sequence is.
    uint256 private _random;
    uint256 private _seed;
    uint256 private _step;
    Action private _action;

    /// @notice Creates the accounts, and gives them tokens.
    /// @param commerce The protocol, in which there is no campaign yet.
    /// @param tokens An ordinary token, one with a fee, one with a blocklist, one that misbehaves and
    /// one that calls back.
    constructor(ReferralCommerce commerce, address[TOKENS] memory tokens) {
        COMMERCE = commerce;
        _tokens = tokens;
        DOMAIN = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Tributary"),
                keccak256("3"),
                block.chainid,
                address(commerce)
            )
        );
        _infos.push();
        for (uint256 i; i < ACTORS; ++i) {
            Actor actor = new Actor();
            _actors[i] = actor;
            for (uint256 t; t < TOKENS; ++t) {
                if (t == MISBEHAVING) {
                    MisbehavingToken(tokens[t]).setBalance(address(actor), 1e30);
                } else {
                    TestToken(tokens[t]).mint(address(actor), 1e30);
                    bytes memory data = abi.encodeCall(IERC20.approve, (address(commerce), 1e40));
                    actor.execute(tokens[t], data);
                }
            }
        }
    }

    /// @notice Runs a sequence; reverts with `InvariantBroken` if an invariant is false.
    /// @param seed What decides the sequence.
    /// @param steps Number of calls.
    function run(uint256 seed, uint256 steps) external {
        (_seed, _random, _step, _action) = (seed, seed, 0, Action.CREATE);
        _check();
        for (uint256 step = 1; step <= steps; ++step) {
            _step = step;
            _action = _choose();
            if (_perform(_action)) ++_successes[uint256(_action)];
            _check();
        }
    }

    /// @notice Returns how often each action did something, in the order of `Action`.
    function successes() external view returns (uint256[] memory counts) {
        counts = new uint256[](_successes.length);
        for (uint256 i; i < counts.length; ++i) counts[i] = _successes[i];
    }

    /// @notice Compares each ledger with the accounts and the sales that it is the sum of.
    function audit() external view {
        for (uint256 id = 1; id < _infos.length; ++id) {
            IReferralTypes.CampaignLedger memory l = COMMERCE.campaignLedger(id);
            uint256 claimable;
            uint256 credit;
            for (uint256 i; i < ACTORS; ++i) {
                claimable += COMMERCE.claimableRewards(id, address(_actors[i]));
                credit += COMMERCE.creditOf(id, address(_actors[i]));
            }
            _require(Invariant.CLAIMABLE_BY_ACCOUNT, id, l.vestedUnclaimed, claimable);
            _require(Invariant.CREDIT_BY_ACCOUNT, id, l.creditOutstanding, credit);
            (uint256 reserved, uint256 proceeds) = _pendingOf(id);
            _require(Invariant.PENDING_BY_SALE, id, l.pendingReserved, reserved);
            _require(Invariant.PENDING_BY_SALE, id, l.proceedsPending, proceeds);
        }
    }

    /// @dev Returns what the pending sales of a campaign hold: rewards, and proceeds of native ones.
    function _pendingOf(uint256 id) private view returns (uint256 reserved, uint256 proceeds) {
        for (uint256 saleId = COMMERCE.saleCount(); saleId > 0; --saleId) {
            IReferralTypes.Sale memory s = COMMERCE.sale(saleId);
            if (s.campaignId != id || s.status != IReferralTypes.SaleStatus.PENDING) continue;
            uint256 rest = s.amount - s.refundedTotal;
            for (uint256 i; i < s.shares.length; ++i) reserved += s.shares[i] * rest / s.amount;
            if (_infos[id].trustMode == IReferralTypes.TrustMode.NATIVE_ONCHAIN) proceeds += rest;
        }
    }

    // ───────────────────────────── invariants ─────────────────────────────

    /// @dev Reverts if an invariant is false.
    function _check() private view {
        uint256[TOKENS] memory owed;
        for (uint256 id = 1; id < _infos.length; ++id) {
            Info storage info = _infos[id];
            owed[info.token] += _checkLedger(id, info);
        }
        for (uint256 t; t < TOKENS; ++t) {
            uint256 counted = COMMERCE.obligationsOf(_tokens[t]);
            uint256 balance = IERC20(_tokens[t]).balanceOf(address(COMMERCE));
            if (balance < counted) {
                _break(Invariant.BALANCE_COVERS_OBLIGATIONS, t, balance, counted);
            }
            _require(Invariant.OBLIGATIONS_ARE_THE_LEDGERS, t, counted, owed[t]);
            _require(
                Invariant.BALANCE_IS_OBLIGATIONS_AND_DONATIONS, t, balance, counted + _donated[t]
            );
        }
    }

    /// @dev Reverts if a ledger is not what the handler has counted; returns what it owes.
    function _checkLedger(uint256 id, Info storage info) private view returns (uint256) {
        IReferralTypes.CampaignLedger memory l;
        try COMMERCE.campaignLedger(id) returns (IReferralTypes.CampaignLedger memory read) {
            l = read;
        } catch {
            _break(Invariant.READABLE_LEDGER, id, 0, 0);
        }
        uint256 inVault = l.available + l.pendingReserved + l.vestedUnclaimed;
        _require(Invariant.DEPOSITS, id, l.netDeposited, info.deposited);
        _require(Invariant.REWARDS, id, l.rewardsClaimed, info.claimed);
        _require(
            Invariant.DEPOSITS, id, inVault + info.claimed + info.withdrawn, info.deposited
        );
        uint256 held = l.proceedsPending + l.proceedsClaimable;
        _require(Invariant.SALES, id, held + l.proceedsClaimed + l.buyerRefunded, info.sold);
        return inVault + held + l.creditOutstanding;
    }

    /// @dev Reverts unless both are equal.
    function _require(Invariant invariant, uint256 id, uint256 found, uint256 expected)
        private
        view
    {
        if (found != expected) _break(invariant, id, found, expected);
    }

    /// @dev Reports a broken invariant.
    function _break(Invariant invariant, uint256 id, uint256 found, uint256 expected) private view {
        revert InvariantBroken(_seed, _step, _action, invariant, id, found, expected);
    }

    // ───────────────────────────── actions ─────────────────────────────

    /// @dev Chooses what to do next.
    function _choose() private returns (Action) {
        uint256 campaigns = _infos.length - 1;
        if (campaigns == 0) return Action.CREATE;
        // Only sometimes more campaigns, and seldom an end, so that there is something to do.
        if (campaigns < CAMPAIGNS_MAX && _below(12) == 0) return Action.CREATE;
        if (_below(100) == 0) return Action.END;
        // Sales are more frequent than the rest, which needs them.
        if (_below(4) == 0) return Action.BUY;
        Action action = Action(1 + _below(uint256(type(Action).max)));
        return action == Action.END ? Action.BUY : action;
    }

    /// @dev Performs an action with random arguments; returns false if it did nothing.
    function _perform(Action action) private returns (bool) {
        if (action == Action.CREATE) return _create();
        if (action == Action.CHANGE_TOKEN) return _changeToken();
        if (action == Action.DONATE) return _donate();
        if (action == Action.FINALIZE) return _finalize();
        if (action == Action.REFUND || action == Action.REVERSE) return _correct(action);
        if (action == Action.WITHDRAW_CREDIT) return _withdrawCredit();
        if (action == Action.CLAIM_REWARDS) return _claimRewards();
        uint256 id = 1 + _below(_infos.length - 1);
        if (action == Action.FUND) return _fund(id, _below(ACTORS), 1 + _below(1e9));
        if (action == Action.JOIN) return _join(id);
        if (action == Action.BUY || action == Action.BUY_FOR) return _sell(id);
        if (action == Action.ATTEST_AS_MERCHANT || action == Action.ATTEST_AS_THIRD_PARTY) {
            return _sellIn(
                action == Action.ATTEST_AS_MERCHANT
                    ? IReferralTypes.TrustMode.MERCHANT_ATTESTED
                    : IReferralTypes.TrustMode.THIRD_PARTY_VERIFIED
            );
        }
        return _manage(action, id);
    }

    /// @dev Performs what a merchant does with a campaign.
    function _manage(Action action, uint256 id) private returns (bool success) {
        Info storage info = _infos[id];
        bytes memory data;
        uint256 amount;
        if (action == Action.CLAIM_PROCEEDS) {
            data = abi.encodeCall(IReferralCommerce.claimProceeds, (id));
        } else if (action == Action.WITHDRAW_SURPLUS) {
            amount = _below(2) == 0 ? COMMERCE.campaignLedger(id).available : _below(1e8);
            data = abi.encodeCall(IReferralCommerce.withdrawSurplus, (id, amount));
        } else if (action == Action.PAUSE) {
            // Seldom, because most else fails while it is paused.
            if (_below(3) != 0) return false;
            data = abi.encodeWithSignature("pause(uint256)", id);
        } else if (action == Action.RESUME) {
            data = abi.encodeWithSignature("resume(uint256)", id);
        } else if (action == Action.END) {
            data = abi.encodeWithSignature("end(uint256)", id);
        } else if (action == Action.SET_PRICE) {
            data = abi.encodeWithSignature(
                "setVariantPrice(uint256,bytes32,uint256)", id, SKU, 1 + _below(1e9)
            );
        } else {
            data = abi.encodeCall(
                COMMERCE.schedulePolicy,
                (id, _policy(_tokens[info.token]), uint64(block.timestamp + 3_600 + _below(7_200)))
            );
        }
        (success,) = _call(info.merchant, data);
        if (success) info.withdrawn += amount;
    }

    /// @dev Creates a campaign, funds it, allows the attester, and lets two accounts join.
    function _create() private returns (bool success) {
        IReferralTypes.CampaignInput memory input;
        uint256 t = _below(TOKENS);
        uint256 merchant = _below(MERCHANTS);
        input.token = _tokens[t];
        input.price = 1 + _below(1e9);
        input.skuHash = SKU;
        input.startsAt = uint64(block.timestamp);
        input.endsAt = uint64(block.timestamp + 1 days + _below(60 days));
        input.nodeCapacity = 100;
        input.saleCapacity = 10_000;
        input.trustMode = IReferralTypes.TrustMode(_below(3));
        input.salt = bytes32(_next());
        (success,) = _call(
            merchant, abi.encodeCall(COMMERCE.createCampaign, (input, _policy(input.token)))
        );
        if (!success) return false;
        uint256 id = _infos.length;
        Info storage info = _infos.push();
        info.token = t;
        info.merchant = merchant;
        info.trustMode = input.trustMode;
        info.termsHash = COMMERCE.campaign(id).termsHash;
        _call(
            merchant,
            abi.encodeCall(
                COMMERCE.allowAttester, (id, ATTESTER, 1 + _below(2e9), 1e12, type(uint32).max)
            )
        );
        _fund(id, merchant, 1 + _below(1e10));
        _join(id);
        _join(id);
    }

    /// @dev Returns a random policy.
    function _policy(address token) private returns (IReferralTypes.Policy memory policy) {
        uint256 depth = 1 + _below(5);
        policy.rewardToken = token;
        policy.commissionBps = uint16(1 + _below(10_000));
        policy.perSaleCap = _cap();
        policy.campaignLiabilityCap = _cap();
        policy.maxRewardedAncestors = uint8(depth);
        policy.weightsBps = new uint16[](depth);
        uint256 left = 10_000;
        for (uint256 i = depth - 1; i > 0; --i) {
            policy.weightsBps[i] = uint16(1 + _below(2_000));
            left -= policy.weightsBps[i];
        }
        policy.weightsBps[0] = uint16(left);
        policy.shortPathMode = IReferralTypes.ShortPathMode(_below(2));
        policy.holdSeconds = uint32(60 + _below(7_200));
        policy.expiry = uint64(block.timestamp + 3 days + _below(90 days));
        policy.excludesSelfReferral = _below(2) == 0;
        policy.regions = new string[](0);
        policy.sharingRules = new string[](0);
    }

    /// @dev Returns no cap, or one that matters.
    function _cap() private returns (uint256) {
        return _below(2) == 0 ? type(uint256).max : 1 + _below(1e9);
    }

    /// @dev Funds a campaign.
    function _fund(uint256 id, uint256 actor, uint256 amount) private returns (bool success) {
        Info storage info = _infos[id];
        uint256 before = _balance(info.token);
        (success,) =
            _call(actor, abi.encodeCall(IReferralCommerce.fund, (id, info.termsHash, amount)));
        info.deposited += _balance(info.token) - before;
    }

    /// @dev Lets a distributor join, under a node or as a root.
    function _join(uint256 id) private returns (bool success) {
        Info storage info = _infos[id];
        (uint256 parent, address owner) = _node(info);
        bytes memory answer;
        (success, answer) = _call(
            BUYERS_END + _below(ACTORS - BUYERS_END),
            abi.encodeCall(IReferralCommerce.join, (id, info.termsHash, parent, owner))
        );
        if (success) info.nodes.push(abi.decode(answer, (uint256)));
    }

    /// @dev Sells in the first campaign with this trust mode, if there is one.
    function _sellIn(IReferralTypes.TrustMode trustMode) private returns (bool) {
        uint256 count = _infos.length - 1;
        uint256 start = _below(count);
        for (uint256 i; i < count; ++i) {
            uint256 id = 1 + (start + i) % count;
            if (_infos[id].trustMode == trustMode) return _sell(id);
        }
        return false;
    }

    /// @dev Sells once, in the way of the campaign's trust mode.
    function _sell(uint256 id) private returns (bool success) {
        Info storage info = _infos[id];
        (uint256 nodeId, address owner) = _node(info);
        bytes32 orderKey = bytes32(_next());
        // Now and then a distributor, whom some policies refuse.
        uint256 buyer = _below(8) == 0 ? BUYERS_END : MERCHANTS + _below(2);
        bytes memory answer;
        if (info.trustMode == IReferralTypes.TrustMode.NATIVE_ONCHAIN) {
            uint256 before = _balance(info.token);
            (success, answer) = _below(2) == 0
                ? _buy(id, buyer, nodeId, owner, orderKey)
                : _buyFor(id, buyer, nodeId, owner, orderKey);
            info.sold += _balance(info.token) - before;
            if (success) _orderKeys[abi.decode(answer, (uint256))] = orderKey;
            return success;
        }
        IReferralTypes.SaleAttestation memory a = IReferralTypes.SaleAttestation(
            id,
            info.termsHash,
            address(_actors[buyer]),
            nodeId,
            owner,
            1 + _below(1e9),
            orderKey,
            SKU,
            _next(),
            uint64(block.timestamp + _below(900))
        );
        bool byMerchant = info.trustMode == IReferralTypes.TrustMode.MERCHANT_ATTESTED;
        _action = byMerchant ? Action.ATTEST_AS_MERCHANT : Action.ATTEST_AS_THIRD_PARTY;
        bytes memory signature = byMerchant
            ? bytes("")
            : _sign(keccak256(abi.encode(COMMERCE.SALE_ATTESTATION_TYPEHASH(), a)));
        (success, answer) = _call(
            _below(ACTORS),
            abi.encodeCall(IReferralCommerce.recordAttestedSale, (a, signature))
        );
        if (success) _orderKeys[abi.decode(answer, (uint256))] = orderKey;
    }

    /// @dev Buys as the buyer.
    function _buy(uint256 id, uint256 buyer, uint256 nodeId, address owner, bytes32 orderKey)
        private
        returns (bool, bytes memory)
    {
        _action = Action.BUY;
        bytes32 termsHash = _infos[id].termsHash;
        return _call(
            buyer,
            abi.encodeCall(
                IReferralCommerce.buy,
                (id, termsHash, nodeId, owner, SKU, orderKey, type(uint256).max, 1)
            )
        );
    }

    /// @dev Sends a buyer's order as any account.
    function _buyFor(uint256 id, uint256 buyer, uint256 nodeId, address owner, bytes32 orderKey)
        private
        returns (bool, bytes memory)
    {
        _action = Action.BUY_FOR;
        IReferralTypes.BuyOrder memory order = IReferralTypes.BuyOrder(
            id,
            _infos[id].termsHash,
            address(_actors[buyer]),
            nodeId,
            owner,
            SKU,
            orderKey,
            type(uint256).max,
            1,
            uint64(block.timestamp)
        );
        IReferralTypes.Payment memory payment;
        return _call(
            _below(ACTORS), abi.encodeCall(IReferralCommerce.buyFor, (order, "", payment))
        );
    }

    /// @dev Refunds or reverses one of the sales.
    function _correct(Action action) private returns (bool success) {
        uint256 saleId = _sale(
            action == Action.REFUND
                ? IReferralTypes.SaleStatus.PENDING
                : IReferralTypes.SaleStatus.FINALIZED,
            action == Action.REVERSE
        );
        if (saleId == 0) return false;
        IReferralTypes.Sale memory s = COMMERCE.sale(saleId);
        Info storage info = _infos[s.campaignId];
        IReferralTypes.SaleRef memory sale = IReferralTypes.SaleRef(
            s.campaignId, info.termsHash, s.buyer, _orderKeys[saleId]
        );
        uint64 deadline = uint64(block.timestamp + _below(900));
        uint256 left = s.amount - s.refundedTotal;
        uint256 amount = _below(3) == 0 ? left : 1 + _below(left);
        bytes memory signature;
        if (info.trustMode == IReferralTypes.TrustMode.THIRD_PARTY_VERIFIED) {
            signature = _sign(
                action == Action.REFUND
                    ? keccak256(
                        abi.encode(
                            COMMERCE.REFUND_APPROVAL_TYPEHASH(),
                            sale,
                            s.refundedTotal + amount,
                            bytes32(0),
                            deadline
                        )
                    )
                    : keccak256(
                        abi.encode(COMMERCE.REVERSAL_APPROVAL_TYPEHASH(), sale, bytes32(0), deadline)
                    )
            );
        }
        (success,) = _call(
            info.merchant,
            action == Action.REFUND
                ? abi.encodeCall(
                    IReferralCommerce.refund, (sale, amount, bytes32(0), deadline, signature)
                )
                : abi.encodeCall(
                    IReferralCommerce.reverse, (sale, bytes32(0), deadline, signature)
                )
        );
    }

    /// @dev Finalizes two sales in one list, of which at least one may be due.
    function _finalize() private returns (bool) {
        uint256 saleId = _sale(IReferralTypes.SaleStatus.PENDING, false);
        if (saleId == 0) return false;
        uint256[] memory saleIds = new uint256[](2);
        saleIds[0] = saleId;
        saleIds[1] = 1 + _below(COMMERCE.saleCount());
        _call(_below(ACTORS), abi.encodeCall(IReferralCommerce.finalize, (saleIds)));
        return COMMERCE.sale(saleId).status == IReferralTypes.SaleStatus.FINALIZED;
    }

    /// @dev Claims the rewards of an account that has some, in two campaigns.
    function _claimRewards() private returns (bool) {
        uint256 count = _infos.length - 1;
        uint256 actor = BUYERS_END + _below(ACTORS - BUYERS_END);
        uint256[] memory ids = new uint256[](2);
        (ids[0], ids[1]) = (1 + _below(count), 1 + _below(count));
        (bool success, bytes memory answer) =
            _call(actor, abi.encodeCall(IReferralCommerce.claimRewards, (ids)));
        if (!success) return false;
        uint256[] memory amounts = abi.decode(answer, (uint256[]));
        _infos[ids[0]].claimed += amounts[0];
        _infos[ids[1]].claimed += amounts[1];
        return amounts[0] + amounts[1] > 0;
    }

    /// @dev Withdraws a credit, to its owner or elsewhere.
    function _withdrawCredit() private returns (bool success) {
        for (uint256 id = 1; id < _infos.length; ++id) {
            if (COMMERCE.campaignLedger(id).creditOutstanding == 0) continue;
            for (uint256 i = MERCHANTS; i < ACTORS; ++i) {
                if (COMMERCE.creditOf(id, address(_actors[i])) == 0) continue;
                address to = _below(2) == 0 ? address(_actors[i]) : address(_actors[0]);
                (success,) = _call(i, abi.encodeCall(IReferralCommerce.withdrawCredit, (id, to)));
                return success;
            }
        }
    }

    /// @dev Sends tokens to the protocol, outside of its calls.
    function _donate() private returns (bool) {
        uint256 t = _below(TOKENS);
        uint256 before = _balance(t);
        bytes memory data = abi.encodeCall(IERC20.transfer, (address(COMMERCE), _below(1_000)));
        _actors[0].execute(_tokens[t], data);
        uint256 donated = _balance(t) - before;
        _donated[t] += donated;
        return donated > 0;
    }

    /// @dev Changes how a token behaves: whom it blocks, how it pays, whom it calls.
    function _changeToken() private returns (bool) {
        uint256 t = BLOCKLIST + _below(3);
        if (t == BLOCKLIST) {
            BlocklistToken token = BlocklistToken(_tokens[t]);
            address account = address(_actors[_below(ACTORS)]);
            token.setBlocked(account, !token.isBlocked(account));
        } else if (t == MISBEHAVING) {
            MisbehavingToken token = MisbehavingToken(_tokens[t]);
            // Mostly as it should, so that there is something to pay.
            uint256 behaviour = _below(2) == 0 ? 0 : _below(12);
            token.setBehaviour(MisbehavingToken.Behaviour(behaviour));
            token.setExtra(_below(4) == 0 ? _below(1e6) : 0);
        } else {
            uint256[] memory ids = new uint256[](1);
            ids[0] = 1;
            HostileToken(_tokens[HOSTILE]).arm(
                address(COMMERCE),
                _below(2) == 0
                    ? abi.encodeCall(IReferralCommerce.finalize, (ids))
                    : abi.encodeCall(IReferralCommerce.claimRewards, (ids))
            );
        }
        return true;
    }

    // ───────────────────────────── helpers ─────────────────────────────

    /// @dev Lets an account call the protocol.
    function _call(uint256 actor, bytes memory data) private returns (bool, bytes memory) {
        return _actors[actor].execute(address(COMMERCE), data);
    }

    /// @dev The protocol's balance of a token.
    function _balance(uint256 t) private view returns (uint256) {
        return IERC20(_tokens[t]).balanceOf(address(COMMERCE));
    }

    /// @dev Returns a node of the campaign and its owner; now and then none.
    function _node(Info storage info) private returns (uint256 nodeId, address owner) {
        uint256 count = info.nodes.length;
        if (count == 0 || _below(8) == 0) return (0, address(0));
        nodeId = info.nodes[_below(count)];
        owner = COMMERCE.node(nodeId).owner;
    }

    /// @dev Returns a sale with a status, of the next few; 0 if there is none.
    function _sale(IReferralTypes.SaleStatus status, bool attested) private returns (uint256) {
        uint256 count = COMMERCE.saleCount();
        if (count == 0) return 0;
        uint256 start = _below(count);
        for (uint256 i; i < count && i < 6; ++i) {
            uint256 saleId = 1 + (start + i) % count;
            IReferralTypes.Sale memory s = COMMERCE.sale(saleId);
            if (s.status == status && (!attested || s.attester != address(0))) return saleId;
        }
        return 0;
    }

    /// @dev Signs for the attester: with the private key 1 and the nonce 1, s is the digest and r.
    function _sign(bytes32 structHash) private view returns (bytes memory) {
        uint256 digest = uint256(keccak256(abi.encodePacked(hex"1901", DOMAIN, structHash)));
        uint256 s = addmod(digest, GENERATOR_X, CURVE_ORDER);
        uint8 v = 27;
        // Only the lower of the two possible values is accepted.
        if (s > CURVE_ORDER / 2) (s, v) = (CURVE_ORDER - s, 28);
        return abi.encodePacked(GENERATOR_X, s, v);
    }

    /// @dev Returns the next number of the sequence.
    function _next() private returns (uint256) {
        _random = uint256(keccak256(abi.encode(_random)));
        return _random;
    }

    /// @dev Returns a number from 0 up to and without `end`.
    function _below(uint256 end) private returns (uint256) {
        return _next() % end;
    }
}
