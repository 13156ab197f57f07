"""The protocol as docs/reference/protocol.md and docs/reference/bundle.md describe it, for both second verifiers; the standard library alone.

It shares no code with the first one (engine), so that a fault of either, or of the pages, shows as a difference.
"""

import functools
import json
import operator
import struct
from datetime import datetime, timezone

MAX_SAFE = 2**53 - 1
MAX_TIME = 253_402_300_799
REVERSAL_SECONDS = 2_592_000
SALE_EVENTS = {"SaleAttested", "SaleRecorded", "RewardReleased", "RewardVested", "RewardReversed"}
SALE_EVENTS |= {"SaleRefunded", "SaleFinalized", "SaleReversed"}



# keccak-256, as of Keccak before SHA-3: hashlib has only the padding of SHA-3.

_ROUND = [
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000, 0x000000000000808B,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008A, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000A, 0x000000008000808B, 0x800000000000008B, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]
_ROTATION = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44]
_PLACE = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1]
_MASK = 2**64 - 1
_RATE = 136


@functools.lru_cache(2**14)
def _permuted(lanes):
    """The permutation. It is nearly all of the time, and files that begin alike share it for what they share."""
    a = list(lanes)
    for constant in _ROUND:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        for x in range(5):
            d = c[x - 1] ^ (((c[(x + 1) % 5] << 1) | (c[(x + 1) % 5] >> 63)) & _MASK)
            for y in range(x, 25, 5):
                a[y] ^= d
        moved = a[1]
        for rotation, place in zip(_ROTATION, _PLACE):
            moved, a[place] = a[place], ((moved << rotation) | (moved >> (64 - rotation))) & _MASK
        for y in range(0, 25, 5):
            row = a[y : y + 5]
            for x in range(5):
                a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & _MASK)
        a[0] ^= constant
    return tuple(a)


@functools.lru_cache(4096)
def keccak256(data: bytes) -> bytes:
    """keccak-256 of bytes, 32 bytes."""
    padding = _RATE - len(data) % _RATE
    padded = bytearray(data) + bytearray(padding)
    padded[len(data)] ^= 0x01
    padded[-1] ^= 0x80
    lanes = struct.unpack(f"<{len(padded) // 8}Q", padded)
    state = (0,) * 25
    for start in range(0, len(lanes), _RATE // 8):
        block = lanes[start : start + _RATE // 8]
        state = _permuted(tuple(map(operator.xor, state, block)) + state[_RATE // 8 :])
    return struct.pack("<4Q", *state[:4])


def to_hex(data: bytes) -> str:
    return "0x" + data.hex()


# JSON, with numbers as JSON.parse gives them.


def read_json(text):
    """The value of a JSON text. Raises ValueError or RecursionError."""
    return json.loads(text, parse_int=_whole, parse_float=_fraction, parse_constant=_no)


def _whole(text):
    number = int(text)
    return float(text) if abs(number) > MAX_SAFE else number


def _fraction(text):
    number = float(text)
    if number in (float("inf"), float("-inf")):
        # JSON.stringify writes null.
        raise ValueError("a number that is none")
    return int(number) if number == int(number) and abs(number) <= MAX_SAFE else number


def _no(_text_of_number):
    raise ValueError("a number that JSON has not")


# Events (contracts/IReferralCommerce.sol). An indexed argument has a star.

POLICY = [
    ("rewardToken", "address"), ("commissionBps", "uint16"), ("perSaleCap", "uint256"),
    ("campaignLiabilityCap", "uint256"), ("maxRewardedAncestors", "uint8"), ("weightsBps", "uint16[]"),
    ("shortPathMode", "uint8"), ("holdSeconds", "uint32"), ("expiry", "uint64"),
    ("excludesSelfReferral", "bool"), ("regions", "string[]"), ("sharingRules", "string[]"),
]
_LEVEL = "saleId*:uint256 campaignId*:uint256 level:uint8 nodeId:uint256 recipient*:address amount:uint256"
_SIGNATURES = {
    "CampaignCreated": "campaignId*:uint256 merchant*:address token:address tokenDecimals:uint8 tokenSymbol:string"
    " tokenName:string price:uint256 skuHash:bytes32 metadataHash:bytes32 startsAt:uint64 endsAt:uint64"
    " nodeCapacity:uint64 saleCapacity:uint64 trustMode:uint8 inviteOnly:bool nodesPerAccount:uint32 salt:bytes32"
    " termsHash:bytes32",
    "PolicyScheduled": "campaignId*:uint256 version:uint32 effectiveAt:uint64 policy:policy eligibilityHash:bytes32"
    " policyHash:bytes32",
    "NodeJoined": "campaignId*:uint256 nodeId*:uint256 parentNodeId:uint256 owner*:address",
    "SaleRecorded": "saleId*:uint256 campaignId*:uint256 buyer*:address nodeId:uint256 amount:uint256 pool:uint256"
    " shares:uint256[] policyVersion:uint32 holdUntil:uint64 orderKey:bytes32 skuHash:bytes32",
    "SaleAttested": "saleId*:uint256 campaignId*:uint256 signer*:address nonce:uint256",
    "RewardReleased": _LEVEL,
    "RewardVested": _LEVEL,
    "RewardReversed": _LEVEL,
    "SaleRefunded": "saleId*:uint256 campaignId*:uint256 buyer*:address amount:uint256 refundedTotal:uint256"
    " reasonHash:bytes32",
    "SaleFinalized": "saleId*:uint256 campaignId*:uint256 refundedTotal:uint256",
    "SaleReversed": "saleId*:uint256 campaignId*:uint256 reasonHash:bytes32",
    "RewardsClaimed": "campaignId*:uint256 account*:address amount:uint256",
    "AttesterAllowed": "campaignId*:uint256 account*:address perOrder:uint256 daily:uint256 expiry:uint64",
    # They move the budget of a campaign.
    "CampaignFunded": "campaignId*:uint256 account*:address amount:uint256",
    "SurplusWithdrawn": "campaignId*:uint256 account*:address amount:uint256",
}
TRUST_MODES = ["NATIVE_ONCHAIN", "MERCHANT_ATTESTED", "THIRD_PARTY_VERIFIED"]
SHORT_PATH_MODES = ["RENORMALIZE_EXISTING", "RETURN_UNUSED"]


def _arguments(signature):
    split = [argument.split(":") for argument in signature.split()]
    return [(name.rstrip("*"), kind, name.endswith("*")) for name, kind in split]


def selector_of(name, arguments):
    policy = "(" + ",".join(kind for _, kind in POLICY) + ")"
    kinds = [policy if kind == "policy" else kind for _, kind, _ in arguments]
    return keccak256(f"{name}({','.join(kinds)})".encode())


EVENTS = {name: _arguments(signature) for name, signature in _SIGNATURES.items()}
BY_SELECTOR = {selector_of(name, arguments): name for name, arguments in EVENTS.items()}


class Event:
    """A decoded log of the contract, with its place."""

    def __init__(self, place, block_hash, name, args):
        self.place, self.block_hash, self.name, self.args = place, block_hash, name, args

    def shown(self):
        """As a receipt shows it."""
        number, index, position = self.place
        args = {n: shown_value(k, self.args[n]) for n, k, _ in EVENTS[self.name] if n != "campaignId"}
        place = {"blockHash": to_hex(self.block_hash), "blockNumber": str(number)}
        return {"args": args, **place, "logPosition": position, "name": self.name, "transactionIndex": index}


def shown_value(kind, value):
    if kind.endswith("[]"):
        return [shown_value(kind[:-2], entry) for entry in value]
    if kind.startswith("uint"):
        return value if int(kind[4:]) <= 48 else str(value)
    return value


@functools.lru_cache(2**14)
def decode_log(topics, data):
    """Name and arguments of a log, which nobody may change; None if it does not decode as an event that is needed."""
    name = BY_SELECTOR.get(topics[0]) if topics else None
    if name is None:
        return None
    arguments = EVENTS[name]
    if len(topics) != 1 + sum(indexed for _, _, indexed in arguments):
        return None
    try:
        plain = [(n, kind) for n, kind, indexed in arguments if not indexed]
        args = dict(zip([n for n, _ in plain], _tuple(data, 0, [kind for _, kind in plain])))
        rest = iter(topics[1:])
        for n, kind, indexed in arguments:
            if indexed:
                args[n] = _word(next(rest), 0, kind)
    except (ValueError, IndexError):
        return None
    times = {"CampaignCreated": ["startsAt", "endsAt"], "PolicyScheduled": ["effectiveAt"], "SaleRecorded": ["holdUntil"]}
    times["AttesterAllowed"] = ["expiry"]
    late = any(args[n] > MAX_TIME for n in times.get(name, []))
    if name == "PolicyScheduled":
        late = late or args["policy"]["expiry"] > MAX_TIME or args["policy"]["shortPathMode"] > 1
    if late or (name == "CampaignCreated" and args["trustMode"] > 2):
        return None
    return name, args


def _tuple(data, base, kinds):
    return [_item(data, base, base + 32 * i, kind) for i, kind in enumerate(kinds)]


def _item(data, base, at, kind):
    if kind in ("string", "policy") or kind.endswith("[]"):
        start = base + _number(data, at)
        if kind == "policy":
            return dict(zip([n for n, _ in POLICY], _tuple(data, start, [k for _, k in POLICY])))
        size = _number(data, start)
        if size > len(data):
            raise ValueError
        if kind == "string":
            return Text(_bytes(data, start + 32, size))
        return _tuple(data, start + 32, [kind[:-2]] * size)
    return _word(_bytes(data, at, 32), 0, kind)


class Text(str):
    """Text of a stranger, with the bytes that hashes are computed from."""

    def __new__(cls, raw):
        text = raw.decode("utf-8", "replace")
        made = super().__new__(cls, text.removeprefix("\ufeff").replace("\0", "\ufffd"))
        made.raw = raw
        return made


def _bytes(data, at, size):
    if at + size > len(data):
        raise ValueError
    return data[at : at + size]


def _number(data, at):
    return int.from_bytes(_bytes(data, at, 32), "big")


def _word(word, at, kind):
    value = _number(word, at)
    if kind == "bytes32":
        return to_hex(word)
    if kind == "address":
        return to_hex(word[12:])
    if kind == "bool":
        return value == 1
    if value >= 2 ** int(kind[4:]):
        raise ValueError
    return value


# Hashes (docs/reference/protocol.md).


def _encode(values):
    """ABI encoding of (kind, value) pairs, dynamic parts after static ones."""
    heads, tails = [], []
    size = 32 * len(values)
    for kind, value in values:
        if kind == "string[]":
            tail = _encode_texts([text.raw for text in value])
        elif kind == "uint16[]":
            tail = _uint(len(value)) + b"".join(_uint(entry) for entry in value)
        else:
            heads.append(bytes.fromhex(value[2:]).rjust(32, b"\0") if isinstance(value, str) else _uint(value))
            continue
        heads.append(_uint(size + sum(len(one) for one in tails)))
        tails.append(tail)
    return b"".join(heads + tails)


def _uint(value):
    return value.to_bytes(32, "big")


def _encode_texts(texts):
    bodies = [_uint(len(text)) + text + bytes(-len(text) % 32) for text in texts]
    offsets, at = [], 32 * len(bodies)
    for body in bodies:
        offsets.append(_uint(at))
        at += len(body)
    return _uint(len(texts)) + b"".join(offsets + bodies)


def policy_hashes(policy):
    lists = [("string[]", policy["regions"]), ("string[]", policy["sharingRules"])]
    eligibility = to_hex(keccak256(_encode(lists)))
    flat = [(kind, policy[name]) for name, kind in POLICY[:10]] + [("bytes32", eligibility)]
    return eligibility, to_hex(keccak256(_encode(flat)))


def terms_hash(terms):
    names = ["merchant", "token", "trustMode", "metadataHash", "salt"]
    return to_hex(keccak256(_encode([("word", terms[name]) for name in names])))


# The split (docs/how-it-works/settlement.md).


def split(amount, policy, liability, available, levels):
    """Pool and shares of a sale."""
    gross = amount * policy["commissionBps"] // 10_000
    cap = max(0, policy["campaignLiabilityCap"] - liability)
    pool = min(gross, policy["perSaleCap"], cap, max(0, available))
    rewarded = min(levels, policy["maxRewardedAncestors"])
    weights = policy["weightsBps"][:rewarded]
    if not weights:
        return gross, 0, []
    renormalizes = policy["shortPathMode"] in (0, "RENORMALIZE_EXISTING")
    whole = sum(weights) if renormalizes else 10_000
    shares = [pool * weight // whole for weight in weights]
    if renormalizes:
        shares[0] += pool - sum(shares)
    return gross, pool, shares


# The sale.


class Sale:
    """A sale and all that the proven logs say of it."""

    def __init__(self, events, record, times):
        self.record = record
        campaign = record.args["campaignId"]
        own = [event for event in events if event.args["campaignId"] == campaign]
        earlier = [event for event in own if event.place < record.place]
        self.events = [e for e in events if e.name in SALE_EVENTS and e.args["saleId"] == record.args["saleId"]]
        self.created = next((e for e in earlier if e.name == "CampaignCreated"), None)
        self.versions = [e for e in earlier if e.name == "PolicyScheduled"]
        version = record.args["policyVersion"]
        self.scheduled = next((e for e in self.versions if e.args["version"] == version), None)
        self.sold_at = times[record.place[0]]
        self.times = times
        joins = {e.args["nodeId"]: e for e in events if e.name == "NodeJoined"}
        self.joins, self.path_is_whole = self._path(joins)
        self.beyond = self._beyond(joins)
        self.claims = self._claims([e for e in own if e.name == "RewardsClaimed"])

    def _join(self, joins, node):
        """The node as it joined the campaign before the sale."""
        join = joins.get(node)
        is_known = join is not None and join.args["campaignId"] == self.record.args["campaignId"]
        return join if is_known and join.place < self.record.place else None

    def _beyond(self, joins):
        """The node above the rewarded levels: None if there is none, False if it is not known."""
        if not self.path_is_whole:
            return False
        above = self.joins[-1].args["parentNodeId"] if self.joins else 0
        return None if above == 0 else self._join(joins, above) or False

    def _path(self, joins):
        found, following = [], self.record.args["nodeId"]
        if self.scheduled is None:
            return found, False
        most = self.scheduled.args["policy"]["maxRewardedAncestors"]
        while following != 0 and len(found) < most:
            join = self._join(joins, following)
            if join is None:
                return found, False
            found.append(join)
            following = join.args["parentNodeId"]
        return found, True

    def _claims(self, all_claims):
        first = []
        for vested in self.named("RewardVested"):
            later = [c for c in all_claims if c.args["account"] == vested.args["recipient"] and c.place > vested.place]
            if later and later[0] not in first:
                first.append(later[0])
        return sorted(first, key=lambda claim: claim.place)

    def named(self, name):
        return [event for event in self.events if event.name == name]

    def needed(self):
        return [e for e in [self.created, self.scheduled, *self.joins, *self.events, *self.claims] if e]

    @property
    def refunded_total(self):
        refunds = self.named("SaleRefunded")
        return refunds[-1].args["refundedTotal"] if refunds else 0

    @property
    def state(self):
        if self.named("SaleReversed"):
            return "reversed"
        if self.named("SaleFinalized"):
            return "finalized"
        return "refunded" if self.refunded_total >= self.record.args["amount"] else "pending"

    # Members of the receipt; None where the logs do not give it.

    def campaign_fields(self):
        names = ["merchant", "metadataHash", "salt", "termsHash", "token", "tokenDecimals", "tokenName", "tokenSymbol"]
        fields = {name: self.created.args[name] for name in names}
        return {**fields, "trustMode": TRUST_MODES[self.created.args["trustMode"]]}

    def policy_fields(self):
        args = self.scheduled.args
        policy = {name: shown_value(kind, args["policy"][name]) for name, kind in POLICY}
        policy["shortPathMode"] = SHORT_PATH_MODES[args["policy"]["shortPathMode"]]
        policy["expiry"] = iso(args["policy"]["expiry"])
        hashes = {name: args[name] for name in ("eligibilityHash", "policyHash")}
        return {**policy, **hashes, "version": args["version"], "effectiveAt": iso(args["effectiveAt"])}

    def path_fields(self):
        args = [join.args for join in self.joins]
        return [{"nodeId": str(a["nodeId"]), "owner": a["owner"], "parentNodeId": _id(a["parentNodeId"])} for a in args]

    def split_fields(self):
        args = self.record.args
        if self.scheduled is None or len(self.joins) != len(args["shares"]):
            return None
        policy = self.scheduled.args["policy"]
        gross = args["amount"] * policy["commissionBps"] // 10_000
        most = min(gross, policy["perSaleCap"], policy["campaignLiabilityCap"])
        reserved = sum(args["shares"])
        shares = [
            {"level": i + 1, "nodeId": str(j.args["nodeId"]), "recipient": j.args["owner"], "amount": str(args["shares"][i])}
            for i, j in enumerate(self.joins)
        ]
        return {
            "gross": str(gross),
            "pool": str(args["pool"]),
            "poolBoundBy": "ledger" if self.joins and args["pool"] < most else "policy",
            "reserved": str(reserved),
            "returned": str(args["pool"] - reserved),
            "shares": shares,
        }

    def sale_fields(self):
        args = self.record.args
        plain = {name: args[name] for name in ("buyer", "orderKey", "skuHash")}
        numbers = {name: str(args[name]) for name in ("amount", "campaignId")}
        return {**plain, **numbers, "nodeId": _id(args["nodeId"])}

    def state_fields(self):
        hold = iso(self.record.args["holdUntil"])
        return {"holdUntil": hold, "state": self.state, "refundedTotal": str(self.refunded_total)}

    def receipt(self):
        if None in (self.created, self.scheduled, self.split_fields()) or not self.path_is_whole:
            return None
        return {
            **self.sale_fields(),
            **self.state_fields(),
            "soldAt": iso(self.sold_at),
            "campaign": self.campaign_fields(),
            "policy": self.policy_fields(),
            "path": self.path_fields(),
            "split": self.split_fields(),
            "transitions": [event.shown() for event in self.events],
            "claims": [claim.shown() for claim in self.claims],
        }


def _id(number):
    return None if number == 0 else str(number)


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class History:
    """A sale's events, followed one by one."""

    def __init__(self, sale):
        self.sale, self.sound = sale, True
        self.shares = sale.record.args["shares"]
        self.reserved = list(self.shares)
        self.reversed = [0] * len(self.shares)
        self.vested = [None] * len(self.shares)
        self.state, self.attested, self.refunded, self.open = "unrecorded", False, 0, []

    def require(self, holds):
        self.sound = self.sound and bool(holds)

    def follows(self):
        for event in self.sale.events:
            step = {"RewardReleased": self._level, "RewardVested": self._level, "RewardReversed": self._level}
            step |= {"SaleAttested": self._attest, "SaleRecorded": self._record, "SaleRefunded": self._refund}
            step |= {"SaleFinalized": self._finalize, "SaleReversed": self._reverse}
            step[event.name](event)
        self.require(not self.open)
        return self.sound

    def _attest(self, event):
        self.require(self.state == "unrecorded" and not self.attested)
        self.require(event.place[:2] == self.sale.record.place[:2])
        self.attested = True

    def _record(self, _event):
        self.require(self.state == "unrecorded")
        self.state = "pending"

    def _level(self, event):
        self.open.append(event)
        at, amount = event.args["level"] - 1, event.args["amount"]
        if not 0 <= at < len(self.shares):
            self.require(False)
            return
        self.require(amount > 0)
        if self.sale.path_is_whole and at < len(self.sale.joins):
            join = self.sale.joins[at].args
            self.require((join["nodeId"], join["owner"]) == (event.args["nodeId"], event.args["recipient"]))
        if event.name == "RewardReversed":
            self.reversed[at] += amount
            return
        self.require(amount <= self.reserved[at])
        self.reserved[at] -= amount
        if event.name == "RewardVested":
            self.vested[at] = event

    def _close(self, event, kind):
        self.require(all(one.name == kind and one.place[:2] == event.place[:2] for one in self.open))
        self.open = []

    def _refund(self, event):
        self.require(self.state == "pending")
        self._close(event, "RewardReleased")
        amount = self.sale.record.args["amount"]
        self.refunded += event.args["amount"]
        self.require(event.args["refundedTotal"] == self.refunded <= amount)
        self.require(event.args["buyer"] == self.sale.record.args["buyer"])
        left = max(0, amount - self.refunded)
        self.require(self.reserved == [share * left // amount if amount else 0 for share in self.shares])
        if self.refunded >= amount:
            self.state = "refunded"

    def _finalize(self, event):
        self.require(self.state == "pending" and event.args["refundedTotal"] == self.refunded)
        self._close(event, "RewardVested")
        time = self.sale.times[event.place[0]]
        self.require(time is None or time >= self.sale.record.args["holdUntil"])
        self.require(all(reserved <= 0 for reserved in self.reserved))
        self.state = "finalized"

    def _reverse(self, event):
        self.require(self.state == "finalized" and self.attested)
        self._close(event, "RewardReversed")
        finalized = self.sale.named("SaleFinalized")
        if finalized:
            times = [self.sale.times[one.place[0]] for one in (finalized[0], event)]
            self.require(None in times or times[1] - times[0] <= REVERSAL_SECONDS)
        for vested, moved in zip(self.vested, self.reversed):
            claimed = vested is not None and any(
                claim.args["account"] == vested.args["recipient"] and vested.place < claim.place < event.place
                for claim in self.sale.claims
            )
            self.require(moved == (0 if claimed or vested is None else vested.args["amount"]))
        self.state = "reversed"


# Violations of the protocol by the events alone: each is True if there is one.


def campaign_problem(sale):
    if sale.created is None:
        return True
    args = sale.created.args
    runs = sale.sold_at is None or args["startsAt"] <= sale.sold_at < args["endsAt"]
    attested = sale.named("SaleAttested")
    token = args["token"] if sale.scheduled is None else sale.scheduled.args["policy"]["rewardToken"]
    sound = runs and token == args["token"] and terms_hash(args) == args["termsHash"]
    if not sound or bool(attested) != (args["trustMode"] != 0):
        return True
    return bool(attested) and (attested[0].args["signer"] == args["merchant"]) != (args["trustMode"] == 1)


def permission_problem(sale, events):
    """True if an attester was not allowed, or by limits that the sale exceeds."""
    attested = sale.named("SaleAttested")
    if sale.created is None or sale.created.args["trustMode"] != 2 or not attested:
        return False
    known = [e for e in events if e.name == "AttesterAllowed" and e.args["campaignId"] == sale.record.args["campaignId"]]
    known = [e.args for e in known if e.args["account"] == attested[0].args["signer"] and e.place < sale.record.place]
    if not known or known[-1]["expiry"] == 0:
        return True
    late = sale.sold_at is not None and sale.sold_at >= known[-1]["expiry"]
    return late or sale.record.args["amount"] > min(known[-1]["perOrder"], known[-1]["daily"])


def path_problem(sale):
    """True if a join is missing, or the buyer owns a rewarded node and the policy excludes that."""
    own = any(join.args["owner"] == sale.record.args["buyer"] for join in sale.joins)
    return not sale.path_is_whole or own and sale.scheduled.args["policy"]["excludesSelfReferral"]


def sale_problem(sale):
    strays = [e for e in sale.events if e.args["campaignId"] != sale.record.args["campaignId"]]
    return bool(strays) or len(sale.named("SaleRecorded")) > 1


def policy_problem(sale):
    if sale.scheduled is None:
        return True
    args = sale.scheduled.args
    hashes = policy_hashes(args["policy"])
    in_effect = [e.args["version"] for e in sale.versions if e.args["effectiveAt"] <= sale.sold_at]
    wrong = hashes != (args["eligibilityHash"], args["policyHash"])
    return wrong or not in_effect or max(in_effect) != args["version"] or sale.sold_at >= args["policy"]["expiry"]


def has_weights(policy):
    """True if each rewarded level has a weight above 0."""
    return len(policy["weightsBps"]) == policy["maxRewardedAncestors"] and all(policy["weightsBps"])


def split_problem(sale, liability, available):
    """None if the weights are not those of a policy, so that there is nothing to compute."""
    policy, args = sale.scheduled.args["policy"], sale.record.args
    if not has_weights(policy):
        return None
    _, pool, shares = split(args["amount"], policy, liability, available, len(sale.joins))
    return pool != args["pool"] or shares != args["shares"]


def hold_problem(sale):
    hold = sale.sold_at + sale.scheduled.args["policy"]["holdSeconds"]
    return hold != sale.record.args["holdUntil"]
