"""A second verifier of receipts: compares what a service says of a sale with an RPC.

It is written after docs/reference/api.md (verifying a receipt), docs/reference/protocol.md and docs/reference/bundle.md, and shares no code with the first
one (engine/verify). It needs nothing but Python 3.11. It reads all logs of the contract, so that it is for chains of tests.

    python3 verify_receipt.py receipt FILE --rpc URL --contract 0x..   one check per line, the verdict last
    python3 verify_receipt.py batch                                    a question per line of JSON on standard input; an empty
                                                                       line before questions about a later state of a chain
"""

import argparse
import json
import re
import sys
import traceback
import urllib.request

import protocol
from protocol import (
    EVENTS, History, Sale, campaign_problem, decode_log, has_weights, hold_problem, iso, keccak256, path_problem, permission_problem,
    policy_problem, read_json, sale_problem, shown_value, split_problem,
)

CHECKS = [
    "transaction", "sale", "attribution", "campaign", "policy", "path", "split", "transitions", "state", "rewards", "age",
]
STATES = ["pending", "refunded", "finalized", "reversed"]


class NoAnswer(Exception):
    """The RPC did not answer, or not in a form that can be read."""


class Refused(NoAnswer):
    """The RPC answered with an error, which may hold the data of a revert."""

    def __init__(self, error):
        super().__init__(str(error))
        data = error.get("data") if isinstance(error, dict) else None
        # Nodes put it there, with a word before it, or one level deeper.
        data = data.get("data") if isinstance(data, dict) else data
        self.data = data.removeprefix("Reverted ") if isinstance(data, str) else ""


# The chain.


class Rpc:
    def __init__(self, url):
        self.url = url

    def ask(self, *calls):
        """Results of a batch of (method, parameters)."""
        body = [{"jsonrpc": "2.0", "id": i, "method": m, "params": p} for i, (m, p) in enumerate(calls)]
        headers = {"content-type": "application/json"}
        try:
            request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as response:
                answers = {answer["id"]: answer for answer in json.load(response)}
            found = [answers[i] for i in range(len(calls))]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NoAnswer from error
        for answer in found:
            if "result" not in answer:
                raise Refused(answer.get("error"))
        return [answer["result"] for answer in found]

    def ask_one(self, method, *parameters):
        return self.ask((method, list(parameters)))[0]


class Located(protocol.Event):
    """A log with the location that a receipt of a service names."""

    def __init__(self, log, name, args):
        number, index = int(log["blockNumber"], 16), int(log["logIndex"], 16)
        place = (number, int(log["transactionIndex"], 16), index)
        super().__init__(place, bytes.fromhex(log["blockHash"][2:]), name, args)
        self.log = log
        self.location = {
            "blockNumber": str(number), "blockHash": log["blockHash"],
            "transactionHash": log["transactionHash"], "logIndex": index,
        }

    def transition(self):
        return {**self.location, "name": self.name, "args": self.shown_args()}

    def shown_args(self):
        return {n: shown_value(kind, self.args[n]) for n, kind, _ in EVENTS[self.name] if n != "campaignId"}


class Chain:
    """All events of a contract, and the blocks of these events. Raises NoAnswer."""

    def __init__(self, url, contract, first_block):
        self.rpc, self.contract, self.receipts = Rpc(url), contract, {}
        wanted = {"address": contract, "fromBlock": hex(first_block), "toBlock": "latest"}
        chain_id, newest, logs = self.rpc.ask(
            ("eth_chainId", []), ("eth_getBlockByNumber", ["latest", False]), ("eth_getLogs", [wanted])
        )
        self.id, self.newest = int(chain_id, 16), int(newest["number"], 16)
        self.events = sorted(filter(None, map(self._event, logs)), key=lambda event: event.place)
        self.blocks = {self.newest: newest}
        numbers = sorted({event.place[0] for event in self.events} - {self.newest})
        if numbers:
            calls = [("eth_getBlockByNumber", [hex(number), False]) for number in numbers]
            self.blocks |= dict(zip(numbers, self.rpc.ask(*calls)))

    @staticmethod
    def _event(log):
        topics = tuple(bytes.fromhex(topic[2:]) for topic in log["topics"])
        decoded = decode_log(topics, bytes.fromhex(log["data"][2:]))
        return None if decoded is None else Located(log, *decoded)

    def block(self, number):
        if number not in self.blocks:
            self.blocks[number] = self.rpc.ask_one("eth_getBlockByNumber", hex(number), False)
        return self.blocks[number]

    def time(self, event):
        """Time of an event's block; None if another block is at its height by now."""
        block = self.block(event.place[0])
        return int(block["timestamp"], 16) if block["hash"] == event.location["blockHash"] else None

    def call(self, signature, number, block):
        data = "0x" + keccak256(signature.encode())[:4].hex() + f"{number:064x}"
        return self.rpc.ask_one("eth_call", {"to": self.contract, "data": data}, hex(block))

    def receipt(self, sale_id, head):
        """What the chain says of a sale as of a block; None without its SaleRecorded."""
        if (sale_id, head) not in self.receipts:
            known = [event for event in self.events if event.place[0] <= head]
            named = [e for e in known if e.name == "SaleRecorded" and e.args["saleId"] == sale_id]
            self.receipts[sale_id, head] = Receipt(self, known, named[0], head) if named else None
        return self.receipts[sale_id, head]


# The receipt that the chain gives.


class Unknown:
    """A value that cannot be computed, as something that it follows from is not there."""


class Missing:
    """The chain has no such value, and a receipt may not have one."""


UNKNOWN, MISSING = Unknown(), Missing()


class Receipt:
    """Fields of the receipt of a sale, problems of the sale itself, and what is not there, each by check."""

    def __init__(self, chain, known, record, head):
        self.chain, self.record, self.head = chain, record, head
        times = {event.place[0]: chain.time(event) for event in known}
        self.sale = Sale([e for e in known if e.name != "NodeJoined" or e.place[0] <= record.place[0]], record, times)
        self.scheduled = self.sale.scheduled if self.sale.sold_at is not None else None
        self.terms = self.scheduled.args["policy"] if self.scheduled else None
        self.has_path = self.terms is not None and self.sale.path_is_whole
        self.joins = self.sale.joins if self.terms else []
        self.budget = budget_before(known, record)
        self.transaction_receipt, self.view = self._transaction_receipt(), self._view()
        self.codes = self._codes()
        self.fields = self._fields()
        self.problems, self.missing = self._problems(), self._missing()
        self.is_old = self._is_old()

    def _fields(self):
        policy = self.sale.policy_fields() if self.terms else {}
        path = self.sale.path_fields() if self.has_path else UNKNOWN
        return {
            "transaction": self._transaction(), "sale": self._sale(), "attribution": self._attribution(), "campaign": self._campaign(),
            "policy": {f"policy.{name}": value for name, value in policy.items()} or {"policy": UNKNOWN}, "path": {"path": path},
            "split": {"split": self._split(), "missed": self._missed_rewards()},
            "transitions": {"transitions": [event.transition() for event in self.sale.events]},
            "state": self._state(), "rewards": {"levels": self._levels()},
        }

    def _transaction(self):
        place = self.record.location
        at = UNKNOWN if self.sale.sold_at is None else iso(self.sale.sold_at)
        tx = {"hash": place["transactionHash"], "blockNumber": place["blockNumber"], "at": at}
        return {"record": place, "recordedAt": at, **{f"tx.{name}": value for name, value in tx.items()}}

    def _sale(self):
        attested = self.sale.named("SaleAttested")
        signed = {name: attested[0].shown_args()[name] for name in ("signer", "nonce")} if attested else None
        fields = self.sale.sale_fields()
        return {
            **fields, "chainId": self.chain.id, "contractAddress": self.chain.contract.lower(),
            "saleId": str(self.record.args["saleId"]), "product.skuHash": fields["skuHash"], "attestation": signed,
        }

    def _attribution(self):
        return {"attribution.nodeId": self.sale.sale_fields()["nodeId"], "attribution.codes": self.codes}

    def _codes(self):
        """What is attached to the calldata; None if the transaction calls another contract."""
        try:
            transaction = self.chain.rpc.ask_one("eth_getTransactionByHash", self.record.location["transactionHash"])
            to, calldata = transaction["to"], bytes.fromhex(transaction["input"][2:])
        except (NoAnswer, TypeError, KeyError, ValueError):
            return UNKNOWN
        if to is None or to.lower() != self.chain.contract.lower():
            return None
        return attached_codes(calldata)

    def _campaign(self):
        names = {
            "token.address": "token", "token.symbol": "tokenSymbol", "token.decimals": "tokenDecimals",
            "token.name": "tokenName", "merchant.address": "merchant", "trustMode": "trustMode", "termsHash": "termsHash",
        }
        fields = self.sale.campaign_fields() if self.sale.created else None
        found = {name: fields[own] if fields else UNKNOWN for name, own in names.items()}
        return {name: MISSING if name == "token.name" and value == "" else value for name, value in found.items()}

    def _join(self, i):
        """Node and owner of a level, as far as the path is known."""
        join = self.joins[i].args if i < len(self.joins) else None
        return {"nodeId": str(join["nodeId"]) if join else UNKNOWN, "recipient": join["owner"] if join else UNKNOWN}

    def _split(self):
        args, reserved = self.record.args, sum(self.record.args["shares"])
        liability, available = self.budget or (UNKNOWN, UNKNOWN)
        return {
            "gross": str(args["amount"] * self.terms["commissionBps"] // 10_000) if self.terms else UNKNOWN,
            "pool": str(args["pool"]), "reserved": str(reserved), "returned": str(args["pool"] - reserved),
            "liabilityBefore": digits(liability), "availableBefore": digits(available),
            "shares": [{"level": i + 1, **self._join(i), "amount": str(a)} for i, a in enumerate(args["shares"])],
        }

    def _missed_rewards(self):
        """What each cap cost each level, and the node beyond the rewarded levels (docs/reference/protocol.md)."""
        if not self.has_path or self.budget is None or self.sale.beyond is False or not has_weights(self.terms):
            return UNKNOWN
        joins, found, (liability, available) = self.joins, [], self.budget
        weights = self.terms["weightsBps"][: len(joins)]
        whole = sum(weights) if self.terms["shortPathMode"] == 0 else 10_000
        before = self.record.args["amount"] * self.terms["commissionBps"] // 10_000
        left = max(0, self.terms["campaignLiabilityCap"] - liability)
        caps = {"SALE_CAP": self.terms["perSaleCap"], "LIABILITY_CAP": left, "BUDGET": max(0, available)}
        for order, (reason, cap) in enumerate(caps.items()):
            after = min(before, cap)
            for i, weight in enumerate(weights):
                lost = before * weight // whole - after * weight // whole
                if lost > 0:
                    found.append((i, order, missed(i + 1, joins[i], reason, str(lost))))
            before = after
        rows = [row for _, _, row in sorted(found, key=lambda one: one[:2])]
        if self.sale.beyond is not None:
            rows.append(missed(len(joins) + 1, self.sale.beyond, "DEPTH", None))
        return rows

    def _state(self):
        finalized, until = self.sale.named("SaleFinalized"), self.record.args["holdUntil"]
        at = self.sale.times[finalized[0].place[0]] if finalized else None
        over = int(self.chain.block(self.head)["timestamp"], 16) >= until
        hold = {"holdSeconds": self.terms["holdSeconds"] if self.terms else UNKNOWN, "holdUntil": iso(until), "over": over}
        unknown = finalized and at is None
        return {**self.sale.state_fields(), "finalizedAt": UNKNOWN if unknown else at and iso(at), "hold": hold}

    def _levels(self):
        return [self._level(i, share) for i, share in enumerate(self.record.args["shares"])]

    def _level(self, i, share):
        def moved(name):
            return sum(event.args["amount"] for event in self.sale.named(name) if event.args["level"] == i + 1)

        released, vested, back = moved("RewardReleased"), moved("RewardVested"), moved("RewardReversed")
        reserved = share - released - vested
        amounts = {"share": share, "reserved": reserved, "released": released, "vested": vested, "reversed": back}
        return {
            "level": i + 1, **self._join(i), "state": self._level_state(i, reserved, released, vested, back),
            **{name: str(amount) for name, amount in amounts.items()},
        }

    def _level_state(self, i, reserved, released, vested, back):
        if back > 0:
            return "reversed"
        if vested > 0:
            return "claimed" if self._is_claimed(i) else "claimable"
        if reserved > 0:
            return "reserved"
        if released > 0:
            return "refunded"
        return {"pending": "reserved", "finalized": "claimable"}.get(self.sale.state, self.sale.state)

    def _is_claimed(self, i):
        vested = [event for event in self.sale.named("RewardVested") if event.args["level"] == i + 1][0]
        return any(
            claim.args["account"] == vested.args["recipient"] and claim.place > vested.place for claim in self.sale.claims
        )

    # What is wrong with the sale itself, and what is not there.

    def _problems(self):
        sale = self.sale
        return {
            "transaction": self._has_wrong_transaction(), "campaign": campaign_problem(sale) or permission_problem(sale, self.chain.events),
            "sale": sale_problem(sale) or sale.events[0].place[0] < self.record.place[0],
            "policy": sale.scheduled is None or (self.terms is not None and policy_problem(sale)),
            "path": self.terms is not None and path_problem(sale),
            "split": self.has_path and self.budget is not None and split_problem(sale, *self.budget),
            "transitions": not History(sale).follows(),
            "state": (self.terms is not None and hold_problem(sale)) or self.view is False,
        }

    def _missing(self):
        no_time, no_policy = self.sale.sold_at is None, self.terms is None
        split = not self.has_path or self.budget is None or split_problem(self.sale, *self.budget) is None
        levels = any("level" in event.args for event in self.sale.events) and not self.has_path
        closing = [event for event in self.sale.events if event.name in ("SaleFinalized", "SaleReversed")]
        return {
            "transaction": self.transaction_receipt is None, "policy": no_time, "path": no_policy, "split": split,
            "transitions": levels or any(self.sale.times[event.place[0]] is None for event in closing),
            "state": no_policy, "rewards": no_policy, "attribution": self.codes is UNKNOWN,
        }

    def _transaction_receipt(self):
        try:
            return self.chain.rpc.ask_one("eth_getTransactionReceipt", self.record.location["transactionHash"])
        except NoAnswer:
            return None

    def _has_wrong_transaction(self):
        place, receipt = self.record.location, self.transaction_receipt
        at_height = self.chain.block(self.record.place[0])["hash"]
        if receipt is None:
            return place["blockHash"] != at_height
        has_log = any(
            int(log["logIndex"], 16) == place["logIndex"] and (log["topics"], log["data"]) == (
                self.record.log["topics"], self.record.log["data"]
            ) for log in receipt["logs"]
        )
        blocks = {place["blockHash"], receipt["blockHash"], at_height}
        return receipt["status"] != "0x1" or not has_log or len(blocks) != 1

    def _view(self):
        """True if the contract's own state is that of the events, False if not; None if it does not answer."""
        try:
            answer = self.chain.call("sale(uint256)", self.record.args["saleId"], self.head)
            words = [int(answer[2:][i : i + 64], 16) for i in range(64, len(answer) - 2, 64)]
        except (NoAnswer, ValueError, TypeError):
            return None
        args, sale = self.record.args, self.sale
        finalized = sale.named("SaleFinalized")
        finalized_at = sale.times[finalized[0].place[0]] if finalized else None
        if len(words) < 12:
            return None
        expected = [args["campaignId"], int(args["buyer"], 16), args["nodeId"], args["amount"], sale.refunded_total]
        expected += [words[5], args["policyVersion"], args["holdUntil"]]
        expected += [words[8] if finalized_at is None else finalized_at, STATES.index(sale.state)]
        shares = words[words[5] // 32 :]
        return words[:10] == expected and shares == [len(args["shares"]), *args["shares"]]

    def _is_old(self):
        """True if the sale has events after the block of the receipt, or a reward of it was claimed for the first time."""
        sale_id, campaign = self.record.args["saleId"], self.record.args["campaignId"]
        vested = [] if self.sale.named("SaleReversed") else self.sale.named("RewardVested")
        unclaimed = {v.args["recipient"] for v in vested if not self._is_claimed(v.args["level"] - 1)}
        for event in self.chain.events:
            if event.place[0] <= self.head:
                continue
            if event.args.get("saleId") == sale_id:
                return True
            is_claim = event.name == "RewardsClaimed" and event.args["campaignId"] == campaign
            if is_claim and event.args["account"] in unclaimed:
                return True
        return False


def digits(value):
    return UNKNOWN if value is UNKNOWN else str(value)


def missed(level, join, reason, amount):
    node = {"nodeId": str(join.args["nodeId"]), "recipient": join.args["owner"]}
    return {"level": level, **node, "reason": reason, "amount": amount}


def budget_before(events, record):
    """Liability and available budget of the campaign just before the sale; None if its ledger at a block is below zero."""
    own = [event for event in events if event.args["campaignId"] == record.args["campaignId"]]
    number = record.place[0]
    ends = [ledger(e for e in own if e.place[0] < number), ledger(e for e in own if e.place[0] <= number)]
    available, pending, vested, claimed = ledger(e for e in own if e.place < record.place)
    return None if min(map(min, ends)) < 0 else (pending + vested + claimed, available)


def ledger(events):
    """Available, pending, vested and claimed after the events of a campaign (docs/reference/protocol.md, amounts that add up)."""
    available = pending = vested = claimed = 0
    for event in events:
        amount = event.args.get("amount", 0)
        if event.name == "CampaignFunded":
            available += amount
        elif event.name == "SurplusWithdrawn":
            available -= amount
        elif event.name == "SaleRecorded":
            available, pending = available - sum(event.args["shares"]), pending + sum(event.args["shares"])
        elif event.name == "RewardReleased":
            available, pending = available + amount, pending - amount
        elif event.name == "RewardVested":
            pending, vested = pending - amount, vested + amount
        elif event.name == "RewardReversed":
            vested, available = vested - amount, available + amount
        elif event.name == "RewardsClaimed":
            vested, claimed = vested - amount, claimed + amount
    return available, pending, vested, claimed


# Codes at the end of calldata (docs/reference/api.md, attached codes).


_CODE = re.compile(rb"[!-+\--~]{1,64}\Z")


class Malformed(Exception):
    """The suffix does not follow the ERC, or exceeds a limit."""


def need(condition):
    if not condition:
        raise Malformed


def attached_codes(calldata):
    rest = calldata[-512:]
    try:
        need(rest.endswith(bytes.fromhex("8021" * 8)))
        rest, schema = split_end(rest[:-16], 1)
        need(schema[0] <= 2)
        rest, length = split_end(rest, 2 if schema[0] == 2 else 1)
        rest, data = split_end(rest, int.from_bytes(length, "big"))
        if schema[0] == 2:
            codes = codes_of_map(*cbor(data, 0, 0, [0]), len(data))
        else:
            codes = codes_of_list(data, registry_of(rest) if schema[0] == 1 else None)
        need(len(codes) <= 16)
        return codes
    except Malformed:
        return []


def split_end(data, length):
    need(length <= len(data))
    return data[: len(data) - length], data[len(data) - length :]


def registry_of(rest):
    rest, length = split_end(rest, 1)
    need(1 <= length[0] <= 6)
    rest, chain_id = split_end(rest, length[0])
    return {"chainId": int.from_bytes(chain_id, "big"), "address": "0x" + split_end(rest, 20)[1].hex()}


def codes_of_list(data, registry):
    return [attached(code, None, registry) for code in data.split(b",")] if data else []


def attached(code, role, registry):
    need(isinstance(code, bytes) and _CODE.match(code))
    return {"code": code.decode(), "role": role, "registry": registry}


def codes_of_map(found, end, length):
    need(isinstance(found, dict) and end == length)
    services, registries = found.get(b"s", []), found.get(b"r", {})
    need(isinstance(services, list) and isinstance(registries, dict))
    codes = []
    for key, role in ((b"a", "app"), (b"w", "wallet")):
        if key in found:
            codes.append(attached(found[key], role, named_registry(registries[key]) if key in registries else None))
    return codes + [attached(code, "service", None) for code in services]


def named_registry(value):
    need(isinstance(value, dict))
    chain_id, address = value.get(b"c"), value.get(b"a")
    need(isinstance(chain_id, bytes) and re.match(rb"0[xX][0-9a-fA-F]{1,12}\Z", chain_id))
    need(isinstance(address, bytes) and re.match(rb"0[xX][0-9a-fA-F]{40}\Z", address))
    return {"chainId": int(chain_id, 16), "address": "0x" + address[2:].decode().lower()}


def cbor(data, at, depth, count):
    """A value, with the offset after it: a text as bytes, a list, a map, or None for any other."""
    count[0] += 1
    need(depth <= 4 and count[0] <= 128 and at < len(data))
    kind, info = data[at] >> 5, data[at] & 31
    need(info <= 27 and kind != 6)
    more = 0 if info < 24 else 2 ** (info - 24)
    size = int.from_bytes(data[at + 1 : at + 1 + more], "big") if more else info
    at += 1 + more
    need(at <= len(data) and (size <= len(data) or kind not in (2, 3, 4, 5)))
    if kind in (2, 3):
        need(at + size <= len(data))
        text = data[at : at + size]
        try:
            text.decode()
        except UnicodeDecodeError:
            need(kind == 2)
        return (text if kind == 3 else None), at + size
    found = {} if kind == 5 else []
    for _ in range(size if kind in (4, 5) else 0):
        value, at = cbor(data, at, depth + 1, count)
        if kind == 5:
            need(isinstance(value, bytes) and value not in found)
            found[value], at = cbor(data, at, depth + 1, count)
        else:
            found.append(value)
    return (found if kind in (4, 5) else None), at


# Comparing.


TEXTS = ("token.symbol", "token.name", "policy.regions", "policy.sharingRules", "attribution.codes")
ABSENT = object()
_HEX = re.compile(r"0[xX][0-9a-fA-F]*\Z")
_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}\Z")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z", re.ASCII)


def compare(chain, served, is_text=False):
    """Statuses of all values within a value of the chain: "pass", "fail", or "unavailable" if the chain's is not known."""
    if chain is UNKNOWN:
        return {"unavailable"}
    if isinstance(chain, dict):
        if not isinstance(served, dict):
            return {"fail"}
        found = {"fail"} if set(served) - set(chain) else {"pass"}
        return found.union(*(compare(value, served.get(name, ABSENT), is_text) for name, value in chain.items()))
    if isinstance(chain, list):
        if not isinstance(served, list) or len(chain) != len(served):
            return {"fail"}
        return {"pass"}.union(*(compare(a, b, is_text) for a, b in zip(chain, served)))
    return {"pass" if same(chain, served, is_text) else "fail"}


def same(chain, served, is_text):
    """Equal, with hex in any case, times with or without a fraction of zeros, and whole numbers as digits or numbers."""
    if isinstance(chain, bool) or isinstance(served, bool) or chain is None or served is None:
        return chain is served
    if isinstance(chain, str) == isinstance(served, str) and chain == served:
        return True
    if is_text:
        return False
    if isinstance(chain, int) != isinstance(served, int) and isinstance(served, (int, str)):
        return str(chain) == str(served)
    if not (isinstance(chain, str) and isinstance(served, str)):
        return False
    if _HEX.match(chain) and _HEX.match(served):
        return chain.lower() == served.lower()
    if _TIME.match(chain) and _TIME.match(served):
        return re.sub(r"\.0+Z$", "Z", chain) == re.sub(r"\.0+Z$", "Z", served)
    return False


def member(served, path):
    for name in path.split("."):
        if not isinstance(served, dict) or name not in served:
            return ABSENT
        served = served[name]
    return served


def compare_field(field, chain, served):
    value = member(served, field)
    if field == "attribution.codes" and value is None:
        return {"pass"}
    if chain is MISSING:
        return {"pass" if value is ABSENT else "fail"}
    return compare(chain, value, is_text=field in TEXTS)


# The verdict.


def verify(asked, chains):
    """Status of each check, and the verdict. `asked` has `receipt` if there is one to compare."""
    contract, first_block = asked["contract"], asked.get("startBlock") or 0
    key = asked["rpc"], contract, first_block
    try:
        if key not in chains:
            chains[key] = Chain(*key)
        return judge(chains[key], asked)
    except NoAnswer:
        return unchecked()


def judge(chain, asked):
    served = asked.get("receipt", ABSENT)
    if served is not ABSENT and not isinstance(served, dict):
        served = {}
    head = chain.newest if asked.get("atBlock") is None else asked["atBlock"]
    if asked.get("chainId") not in (None, chain.id):
        return unchecked()
    receipt = chain.receipt(int(asked["saleId"]), head) if head <= chain.newest else None
    if served is not ABSENT and is_of_another(chain, served, receipt, asked.get("genesisHash")):
        return unchecked()
    if head > chain.newest:
        return unchecked()
    if receipt is None:
        return unchecked(sale="fail") if lacks_sale(chain, int(asked["saleId"]), head) else unchecked()
    checks = {name: status_of(receipt, name, served) for name in CHECKS}
    checks["age"] = "fail" if receipt.is_old else "pass"
    return {"verdict": verdict_of(checks), "checks": checks}


def is_of_another(chain, served, receipt, genesis_hash):
    """True if the receipt is of another chain or contract, and names another transaction than the one that was found."""
    named = member(served, "record.transactionHash")
    found = receipt and receipt.record.location["transactionHash"]
    if receipt is not None and (not isinstance(named, str) or named.lower() == found):
        return False
    chain_id, contract = served.get("chainId"), served.get("contractAddress")
    if isinstance(chain_id, (int, float)) and not isinstance(chain_id, bool) and chain_id != chain.id:
        return True
    if genesis_hash is not None and not has_block(chain, genesis_hash):
        return True
    return isinstance(contract, str) and bool(_ADDRESS.match(contract)) and contract.lower() != chain.contract.lower()


def has_block(chain, block_hash):
    return chain.rpc.ask_one("eth_getBlockByHash", block_hash, False) is not None


def lacks_sale(chain, sale_id, head):
    """True if the contract itself says that it has no such sale."""
    try:
        chain.call("sale(uint256)", sale_id, head)
    except Refused as refused:
        return refused.data.startswith("0x" + keccak256(b"UnknownSale(uint256)")[:4].hex())
    except NoAnswer:
        pass
    return False


def status_of(receipt, name, served):
    found = {"pass"}
    if receipt.problems.get(name):
        found.add("fail")
    if receipt.missing.get(name):
        found.add("unavailable")
    if served is not ABSENT:
        found = found.union(*(compare_field(field, value, served) for field, value in receipt.fields.get(name, {}).items()))
    return next(status for status in ("fail", "unavailable", "pass") if status in found)


def verdict_of(checks):
    """The worst status, except that a receipt which is only old is outdated."""
    worst = {status for name, status in checks.items() if name != "age" or status != "fail"}
    if "fail" in worst or "unavailable" in worst:
        return "fail" if "fail" in worst else "unavailable"
    return "outdated" if checks["age"] == "fail" else "pass"


def unchecked(**statuses):
    """Without the sale nothing can be compared."""
    checks = {name: "unavailable" for name in CHECKS} | statuses
    return {"verdict": verdict_of(checks), "checks": checks}


# Commands.


def run_batch():
    chains = {}
    for line in sys.stdin:
        if line == "\n":
            # The chains may have changed since.
            chains = {}
            continue
        try:
            answer = verify(read_json(line), chains)
        except Exception:
            answer = {"verdict": "error", "error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("batch")
    one = commands.add_parser("receipt")
    one.add_argument("file")
    one.add_argument("--rpc", required=True)
    one.add_argument("--contract", required=True)
    one.add_argument("--chain-id", type=int)
    one.add_argument("--start-block", type=int, default=0)
    one.add_argument("--at-block", type=int)
    one.add_argument("--sale", help="the sale that is meant; default: the one that the receipt names")
    options = parser.parse_args()
    if options.command == "batch":
        return run_batch()
    with open(options.file, encoding="utf-8") as file:
        served = read_json(file.read())
    known = {"rpc": options.rpc, "contract": options.contract, "chainId": options.chain_id, "startBlock": options.start_block}
    result = verify({**known, "atBlock": options.at_block, "saleId": options.sale or served["saleId"], "receipt": served}, {})
    for name, status in result["checks"].items():
        print(f"{status:12} {name}")
    print(result["verdict"])
    return {"pass": 0, "fail": 1, "unavailable": 3, "outdated": 6}[result["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
