"""A second verifier of receipts: compares what a service says of a sale with an RPC.

Written after docs/api.md (verifying a receipt) and docs/protocol.md; it shares with `verify_bundle.py` how logs are
decoded and how a sale is followed. It needs nothing but Python 3.11. It reads all logs of the contract, so that it is
for chains of tests; and it believes the RPC, as every verifier of receipts does.

    verify_receipt.py batch          questions as JSON, one on each line; answers likewise
"""

import json
import re
import sys
import traceback
import urllib.request

import verify_bundle
from verify_bundle import (
    History, Sale, check_campaign, check_path, check_policy, check_sale, decode_log, iso, split,
)

CHECKS = [
    "transaction", "sale", "campaign", "policy", "path", "split", "transitions", "state", "rewards", "age",
]

# Events of a campaign that move its budget, in addition to those of a bundle (docs/protocol.md, amounts that add up).
for _name in ("CampaignFunded", "SurplusWithdrawn"):
    _arguments = verify_bundle._arguments("campaignId*:uint256 account*:address amount:uint256")
    verify_bundle.EVENTS[_name] = _arguments
    verify_bundle.BY_SELECTOR[verify_bundle._selector(_name, _arguments)] = _name


# The chain.


class Rpc:
    def __init__(self, url):
        self.url = url

    def ask(self, *calls):
        """Results of a batch of (method, parameters)."""
        body = [{"jsonrpc": "2.0", "id": i, "method": m, "params": p} for i, (m, p) in enumerate(calls)]
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            answers = {answer["id"]: answer for answer in json.load(response)}
        return [answers[i]["result"] for i in range(len(calls))]


class Located(verify_bundle.Event):
    """A log with the place that a receipt of a service names."""

    def __init__(self, log, name, args):
        number, index = int(log["blockNumber"], 16), int(log["logIndex"], 16)
        super().__init__((number, int(log["transactionIndex"], 16), index), bytes.fromhex(log["blockHash"][2:]), name, args)
        self.location = {
            "blockNumber": str(number), "blockHash": log["blockHash"],
            "transactionHash": log["transactionHash"], "logIndex": index,
        }

    def transition(self):
        return {**self.location, "name": self.name, "args": self.shown_args()}

    def shown_args(self):
        kinds = {name: kind for name, kind, _ in verify_bundle.EVENTS[self.name]}
        return {n: verify_bundle._shown(kinds[n], value) for n, value in self.args.items() if n != "campaignId"}


class Chain:
    """All events of a contract."""

    def __init__(self, url, contract):
        self.rpc = Rpc(url)
        asked = {"address": contract, "fromBlock": "0x0", "toBlock": "latest"}
        chain_id, logs, newest, code = self.rpc.ask(
            ("eth_chainId", []), ("eth_getLogs", [asked]), ("eth_getBlockByNumber", ["latest", False]),
            ("eth_getCode", [contract, "latest"]),
        )
        self.id, self.newest, self.has_code = int(chain_id, 16), int(newest["number"], 16), code != "0x"
        self.events = []
        for log in logs:
            topics = [bytes.fromhex(topic[2:]) for topic in log["topics"]]
            decoded = decode_log(topics, bytes.fromhex(log["data"][2:]))
            if decoded is not None:
                self.events.append(Located(log, *decoded))
        numbers = sorted({event.place[0] for event in self.events} | {self.newest})
        calls = [("eth_getBlockByNumber", [hex(number), False]) for number in numbers]
        self.blocks = dict(zip(numbers, self.rpc.ask(*calls)))
        self.times = {number: int(block["timestamp"], 16) for number, block in self.blocks.items()}

    def time(self, number):
        if number not in self.times:
            [block] = self.rpc.ask(("eth_getBlockByNumber", [hex(number), False]))
            self.times[number] = int(block["timestamp"], 16)
        return self.times[number]


# The receipt that the chain gives.


def budget_before(events, record):
    """Liability and available budget of the campaign just before the sale."""
    available = pending = vested = claimed = 0
    for event in events:
        if event.place >= record.place or event.args.get("campaignId") != record.args["campaignId"]:
            continue
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
    return pending + vested + claimed, available


class Receipt:
    """Fields of the receipt of a sale as of a block, by check."""

    def __init__(self, chain, contract, record, head):
        self.chain, self.contract, self.record, self.head = chain, contract, record, head
        known = [event for event in chain.events if event.place[0] <= head]
        self.sale = Sale(known, record, chain.times)
        joins = {event.args["nodeId"]: event for event in known if event.name == "NodeJoined"}
        last = self.sale.joins[-1].args["parentNodeId"] if self.sale.joins else 0
        self.beyond = joins.get(last)
        self.liability, self.available = budget_before(known, record)
        self.terms = self.sale.scheduled.args["policy"] if self.sale.scheduled else None

    def at(self, name):
        found = self.sale.named(name)
        return self.chain.times[found[0].place[0]] if found else None

    def fields(self):
        return {
            "transaction": self.transaction(), "sale": self.sold(), "campaign": self.campaign(),
            "policy": {f"policy.{name}": value for name, value in self.sale.policy_fields().items()}, "path": {"path": self.sale.path_fields()},
            "split": {"split": self.split(), "missed": self.missed()},
            "transitions": {"transitions": [event.transition() for event in self.sale.events]},
            "state": self.state(), "rewards": {"levels": self.levels()},
        }

    def transaction(self):
        place, at = self.record.location, iso(self.sale.sold_at)
        tx = {"hash": place["transactionHash"], "blockNumber": place["blockNumber"], "at": at}
        return {"record": place, "recordedAt": at, **{f"tx.{name}": value for name, value in tx.items()}}

    def sold(self):
        attested = self.sale.named("SaleAttested")
        signed = {name: attested[0].shown_args()[name] for name in ("signer", "nonce")} if attested else None
        fields = self.sale.sale_fields()
        return {
            **fields, "chainId": self.chain.id, "contractAddress": self.contract.lower(),
            "saleId": str(self.record.args["saleId"]), "product.skuHash": fields["skuHash"], "attestation": signed,
        }

    def campaign(self):
        fields = self.sale.campaign_fields()
        name = fields["tokenName"]
        return {
            "token.address": fields["token"], "token.symbol": fields["tokenSymbol"],
            "token.decimals": fields["tokenDecimals"], "token.name": MISSING if name == "" else name,
            "merchant.address": fields["merchant"], "trustMode": fields["trustMode"], "termsHash": fields["termsHash"],
        }

    def split(self):
        fields = dict(self.sale.split_fields() or {})
        fields.pop("poolBoundBy", None)
        return {**fields, "liabilityBefore": str(self.liability), "availableBefore": str(self.available)}

    def missed(self):
        """What each cap cost each level, and the node beyond the rewarded levels (docs/settlement.md)."""
        joins, found = self.sale.joins, []
        weights = self.terms["weightsBps"][: len(joins)]
        whole = sum(weights) if self.terms["shortPathMode"] == 0 else 10_000
        before = self.record.args["amount"] * self.terms["commissionBps"] // 10_000
        left = max(0, self.terms["campaignLiabilityCap"] - self.liability)
        caps = {"SALE_CAP": self.terms["perSaleCap"], "LIABILITY_CAP": left, "BUDGET": max(0, self.available)}
        for order, (reason, cap) in enumerate(caps.items()):
            after = min(before, cap)
            for i, weight in enumerate(weights):
                lost = before * weight // whole - after * weight // whole
                if lost > 0:
                    found.append((i, order, self._missed(i + 1, joins[i], reason, str(lost))))
            before = after
        rows = [row for _, _, row in sorted(found, key=lambda one: one[:2])]
        if self.beyond is not None:
            rows.append(self._missed(len(joins) + 1, self.beyond, "DEPTH", None))
        return rows

    def _missed(self, level, join, reason, amount):
        node = {"nodeId": str(join.args["nodeId"]), "recipient": join.args["owner"]}
        return {"level": level, **node, "reason": reason, "amount": amount}

    def state(self):
        finalized, seconds = self.at("SaleFinalized"), self.terms["holdSeconds"]
        until = self.record.args["holdUntil"]
        hold = {"holdSeconds": seconds, "holdUntil": iso(until), "over": self.chain.time(self.head) >= until}
        return {**self.sale.state_fields(), "finalizedAt": None if finalized is None else iso(finalized), "hold": hold}

    def levels(self):
        return [self._level(i, share) for i, share in enumerate(self.record.args["shares"])]

    def _level(self, i, share):
        def moved(name):
            return sum(event.args["amount"] for event in self.sale.named(name) if event.args["level"] == i + 1)

        released, vested, back = moved("RewardReleased"), moved("RewardVested"), moved("RewardReversed")
        join, reserved = self.sale.joins[i].args, share - released - vested
        amounts = {"share": share, "reserved": reserved, "released": released, "vested": vested, "reversed": back}
        return {
            "level": i + 1, "nodeId": str(join["nodeId"]), "recipient": join["owner"],
            "state": self._level_state(i, reserved, released, vested, back),
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

    # Violations of the protocol on the chain itself, by check.

    def problems(self):
        shown = self.sale.receipt()
        follows = History(self.sale).follows()
        weights = split(self.record.args["amount"], self.terms, self.liability, self.available, len(self.sale.joins))
        pool = weights[1] if self.sale.joins else self.record.args["pool"]
        return {
            "campaign": check_campaign(self.sale, {"campaign": shown["campaign"]})[0],
            "sale": check_sale(self.sale, shown)[0], "policy": check_policy(self.sale, shown)[0],
            "path": check_path(self.sale, shown)[0], "transitions": not follows,
            "split": pool != self.record.args["pool"] or weights[2] != self.record.args["shares"],
            "state": self.sale.sold_at + self.terms["holdSeconds"] != self.record.args["holdUntil"],
        }

    def later(self):
        """True if the sale has events after the block of the receipt, or a recipient of it has claimed."""
        sale_id, campaign = self.record.args["saleId"], self.record.args["campaignId"]
        open_levels = {
            event.args["recipient"]: event.place for event in self.sale.named("RewardVested")
            if not self._is_claimed(event.args["level"] - 1)
        }
        for event in self.chain.events:
            if event.place[0] <= self.head:
                continue
            if event.args.get("saleId") == sale_id and event.name != "RewardsClaimed":
                return True
            claims = event.name == "RewardsClaimed" and event.args["campaignId"] == campaign
            if claims and event.args["account"] in open_levels:
                return True
        return False


# Comparing.


TEXTS = ("token.symbol", "token.name", "policy.regions", "policy.sharingRules")


class Missing:
    """The chain has no such value, and a receipt may not have one."""


MISSING = Missing()
_HEX = re.compile(r"0[xX][0-9a-fA-F]*\Z")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z", re.ASCII)


def same(chain, served, is_text=False):
    """Equal, with hex in any case, times with or without a fraction of zeros, and whole numbers as digits or numbers."""
    if isinstance(chain, dict):
        if not isinstance(served, dict) or set(chain) != set(served):
            return False
        return all(same(value, served[name], is_text) for name, value in chain.items())
    if isinstance(chain, list):
        if not isinstance(served, list) or len(chain) != len(served):
            return False
        return all(same(a, b, is_text) for a, b in zip(chain, served))
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


ABSENT = object()


def member(served, path):
    for name in path.split("."):
        if not isinstance(served, dict) or name not in served:
            return ABSENT
        served = served[name]
    return served


def agrees(field, chain, served):
    value = member(served, field)
    if chain is MISSING:
        return value is ABSENT
    if value is ABSENT:
        return False
    return same(chain, value, is_text=field in TEXTS)


# The verdict.


def unchecked(verdict, **statuses):
    """Without the sale nothing can be compared."""
    return {"verdict": verdict, "checks": {name: "unavailable" for name in CHECKS} | statuses}


def verify(chain, contract, sale_id, served, at_block=None):
    """Status of each check, and the verdict."""
    served = served if isinstance(served, dict) else {}
    head = chain.newest if at_block is None else at_block
    if not chain.has_code or head > chain.newest:
        return unchecked("unavailable")
    records = [e for e in chain.events if e.name == "SaleRecorded" and e.args["saleId"] == int(sale_id)]
    records = [e for e in records if e.place[0] <= head]
    if not records:
        return unchecked("fail", sale="fail")
    receipt = Receipt(chain, contract, records[0], head)
    problems = receipt.problems()
    checks = {name: "pass" for name in CHECKS}
    for name, fields in receipt.fields().items():
        wrong = any(not agrees(field, value, served) for field, value in fields.items())
        if wrong or problems.get(name):
            checks[name] = "fail"
    if receipt.later():
        checks["age"] = "fail"
    failed = {name for name, status in checks.items() if status == "fail"}
    verdict = "pass" if not failed else "outdated" if failed == {"age"} else "fail"
    return {"verdict": verdict, "checks": checks}


def run_batch():
    chains = {}
    for line in sys.stdin:
        try:
            asked = json.loads(line)
            key = asked["rpc"], asked["contract"]
            if key not in chains:
                chains[key] = Chain(*key)
            answer = verify(chains[key], asked["contract"], asked["saleId"], asked["receipt"], asked.get("atBlock"))
        except Exception:
            answer = {"verdict": "error", "error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    run_batch()
