"""A second verifier of receipt bundles, after docs/bundle.md, with the standard library alone.

It shares no code with the first one (engine/verify), so that a fault of either, or of the page, shows as a difference.

    python3 verify_bundle.py bundle FILE --contract 0x.. --block-hash 0x..   one check per line, the verdict last
    python3 verify_bundle.py batch                                           a question per line of JSON on standard input
    python3 verify_bundle.py vectors FOLDER                                  splits and terms hashes
"""

import argparse
import functools
import json
import os
import re
import sys
import traceback
from datetime import datetime, timezone
from decimal import Decimal

MAX_BYTES, MAX_HEADERS, MAX_PROOFS = 16_777_216, 8_448, 256
MAX_TIME = 253_402_300_799
MAX_SAFE = 2**53 - 1
REVERSAL_SECONDS = 2_592_000
CHECKS = ["format", "contract", "blocks", "proofs", "campaign", "sale", "policy", "path", "split"]
CHECKS += ["transitions", "state", "figures"]
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


def _permute(a):
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


@functools.lru_cache(4096)
def keccak256(data: bytes) -> bytes:
    """keccak-256 of bytes, 32 bytes."""
    padding = _RATE - len(data) % _RATE
    padded = bytearray(data) + bytearray(padding)
    padded[len(data)] ^= 0x01
    padded[-1] ^= 0x80
    state = [0] * 25
    for start in range(0, len(padded), _RATE):
        for i in range(_RATE // 8):
            at = start + 8 * i
            state[i] ^= int.from_bytes(padded[at : at + 8], "little")
        _permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def to_hex(data: bytes) -> str:
    return "0x" + data.hex()


# RLP (Yellow Paper, appendix B), strict.


class NoRlp(Exception):
    """Bytes that are no RLP."""


def rlp_decode(data: bytes):
    item, rest = _rlp_item(data)
    if rest:
        raise NoRlp
    return item


def _rlp_item(data):
    if not data:
        raise NoRlp
    first = data[0]
    if first < 0x80:
        return data[:1], data[1:]
    if first < 0xC0:
        body, rest = _rlp_body(data, first, 0x80)
        if first == 0x81 and body[0] < 0x80:
            raise NoRlp
        return body, rest
    body, rest = _rlp_body(data, first, 0xC0)
    items = []
    while body:
        item, body = _rlp_item(body)
        items.append(item)
    return items, rest


def _rlp_body(data, first, base):
    size, start = first - base, 1
    if size > 55:
        width = size - 55
        digits = data[1 : 1 + width]
        if len(digits) < width or digits[0] == 0:
            raise NoRlp
        size, start = int.from_bytes(digits, "big"), 1 + width
        if size <= 55:
            raise NoRlp
    if len(data) < start + size:
        raise NoRlp
    return data[start : start + size], data[start + size :]


def rlp_of_index(index: int) -> bytes:
    """RLP of a whole number of few bytes."""
    digits = index.to_bytes((index.bit_length() + 7) // 8, "big")
    return digits if len(digits) == 1 and digits[0] < 0x80 else bytes([0x80 + len(digits)]) + digits


# Canonical JSON (RFC 8785) of what JSON.parse gives.


class NoBundle(Exception):
    """A file in another form than the page says."""


def canonical(value, depth=0) -> str:
    """The one spelling of a value."""
    if isinstance(value, (dict, list)) and depth == 32:
        raise NoBundle("nested too deep")
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_text(n)}:{canonical(value[n], depth + 1)}" for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(entry, depth + 1) for entry in value) + "]"
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    return _decimal(value)


def _decimal(value):
    """A fraction or a large number as ECMAScript writes it (RFC 8785, section 3.2.2.3)."""
    sign, figures, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits, point = "".join(map(str, figures)), len(figures) + exponent
    if len(digits) <= point <= 21:
        text = digits.ljust(point, "0")
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + digits.rjust(len(digits) - point, "0")
    else:
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{rest}e{point - 1:+d}"
    return "-" + text if sign else text


def _text(value):
    spelt = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", spelt)


def _whole(text):
    number = int(text)
    return float(text) if abs(number) > MAX_SAFE else number


def _fraction(text):
    number = float(text)
    if number in (float("inf"), float("-inf")):
        # JSON.stringify writes null.
        raise NoBundle("a number that is none")
    return int(number) if number == int(number) and abs(number) <= MAX_SAFE else number


def _no(_text_of_number):
    raise NoBundle("a number that JSON has not")


def parse_json(text):
    try:
        return json.loads(text, parse_int=_whole, parse_float=_fraction, parse_constant=_no)
    except (ValueError, RecursionError) as error:
        raise NoBundle("no JSON") from error


# The file.


def parse_bundle(data: bytes) -> dict:
    """A bundle in the correct form. Raises NoBundle."""
    if len(data) > MAX_BYTES:
        raise NoBundle("too large")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NoBundle("no UTF-8") from error
    value = parse_json(text)
    names = ["bundleHash", "chainId", "contractAddress", "format", "headers", "proofs", "receipt", "saleId"]
    _members(value, names)
    if value["format"] != "tributary-receipt-bundle-1" or canonical(value) != text:
        raise NoBundle("another format, or another spelling")
    if not isinstance(value["receipt"], dict):
        raise NoBundle("receipt")
    _hex(value["bundleHash"], 32)
    _integer(value["chainId"], 1)
    _hex(value["contractAddress"], 20)
    for header in _list(value["headers"], MAX_HEADERS):
        _hex(header)
    for proof in _list(value["proofs"], MAX_PROOFS):
        _members(proof, ["blockNumber", "nodes", "transactionIndexes"])
        _digits(proof["blockNumber"])
        for node in _list(proof["nodes"]):
            _hex(node)
        indexes = [_integer(index, 0) for index in _list(proof["transactionIndexes"])]
        if any(b <= a for a, b in zip(indexes, indexes[1:])):
            raise NoBundle("transactionIndexes must rise")
    _digits(value["saleId"])
    rest = {name: value[name] for name in names if name != "bundleHash"}
    if to_hex(keccak256(canonical(rest).encode("utf-8"))) != value["bundleHash"]:
        raise NoBundle("bundleHash")
    return value


def _members(value, names):
    if not isinstance(value, dict) or sorted(value) != names:
        raise NoBundle("members")


def _list(value, most=None):
    if not isinstance(value, list) or not value or (most is not None and len(value) > most):
        raise NoBundle("a list")
    return value


def _hex(value, size=None):
    if not isinstance(value, str) or not re.fullmatch(r"0x(?:[0-9a-f]{2})+", value):
        raise NoBundle("bytes")
    if size is not None and len(value) != 2 + 2 * size:
        raise NoBundle("bytes of another length")


def _integer(value, least):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SAFE:
        raise NoBundle("a whole number")
    return value


def _digits(value):
    if not isinstance(value, str) or not re.fullmatch(r"0|[1-9][0-9]{0,77}", value):
        raise NoBundle("digits")


# Headers.


class Header:
    """What is read of a block's header. Raises NoRlp or ValueError."""

    def __init__(self, encoded: bytes):
        fields = rlp_decode(encoded)
        if not isinstance(fields, list) or len(fields) < 15:
            raise ValueError
        self.hash = keccak256(encoded)
        self.parent, self.receipts_root = _of_size(fields[0], 32), _of_size(fields[5], 32)
        self.number, self.time = _scalar(fields[8]), _scalar(fields[11])
        if self.time > MAX_TIME:
            raise ValueError


def _of_size(value, size):
    if not isinstance(value, bytes) or len(value) != size:
        raise ValueError
    return value


def _scalar(value):
    if not isinstance(value, bytes) or len(value) > 8 or value[:1] == b"\0":
        raise ValueError
    return int.from_bytes(value, "big")


def read_headers(bundle):
    """Headers by number, whether they are sound, and the vouched blocks' open numbers by the given hashes."""
    headers = []
    try:
        for encoded in bundle["headers"]:
            header = Header(bytes.fromhex(encoded[2:]))
            if headers and header.number <= headers[-1].number:
                return None
            headers.append(header)
    except (NoRlp, ValueError):
        return None
    return headers


def header_problems(headers, proofs):
    numbers = [int(proof["blockNumber"]) for proof in proofs]
    proven, present = set(numbers), {header.number for header in headers}
    if any(b <= a for a, b in zip(numbers, numbers[1:])) or not proven <= present:
        return True
    linked = [is_parent(a, b) for a, b in zip(headers, headers[1:])]
    for i, header in enumerate(headers):
        if i + 1 < len(headers) and headers[i + 1].number == header.number + 1 and not linked[i]:
            return True
        links = 0 < i < len(headers) - 1 and linked[i - 1] and linked[i]
        if header.number not in proven and not links:
            return True
    return False


def is_parent(header, child):
    return child.number == header.number + 1 and child.parent == header.hash


def open_blocks(headers, proofs, given):
    """Numbers of the proven blocks that the reader does not vouch for."""
    proven = {int(proof["blockNumber"]) for proof in proofs}
    vouched, found = False, []
    for i in reversed(range(len(headers))):
        is_linked = vouched and is_parent(headers[i], headers[i + 1])
        vouched = to_hex(headers[i].hash) in given or is_linked
        if headers[i].number in proven and not vouched:
            found.append(headers[i].number)
    return found


# Proofs.


class NoProof(Exception):
    """A proof that does not hold."""


def prove(proof, header):
    """Receipts' logs of a block by transaction index."""
    nodes = [bytes.fromhex(node[2:]) for node in proof["nodes"]]
    hashes = [keccak256(node) for node in nodes]
    known, met = dict(zip(hashes, nodes)), []

    def node_at(reference):
        if reference not in known:
            raise NoProof
        if reference not in met:
            met.append(reference)
        return known[reference]

    receipts = [(i, logs_of(find(header.receipts_root, rlp_of_index(i), node_at))) for i in proof["transactionIndexes"]]
    if met != hashes:
        raise NoProof
    return receipts


def find(root, key, node_at):
    """The value of a key of a trie (Yellow Paper, appendix D)."""
    path = nibbles(key)
    reference = root
    while True:
        node = reference
        if isinstance(reference, bytes):
            if len(reference) != 32:
                raise NoProof
            try:
                node = rlp_decode(node_at(reference))
            except NoRlp as error:
                raise NoProof from error
        if not isinstance(node, list) or len(node) not in (2, 17):
            raise NoProof
        if len(node) == 17:
            if not path:
                return _value(node[16])
            reference, path = node[path[0]], path[1:]
            if reference in (b"", []):
                raise NoProof
            continue
        is_leaf, part = _part(node[0])
        if path[: len(part)] != part:
            raise NoProof
        path = path[len(part) :]
        if is_leaf:
            if path:
                raise NoProof
            return _value(node[1])
        if not part:
            raise NoProof
        reference = node[1]


def nibbles(data):
    return [nibble for byte in data for nibble in (byte >> 4, byte & 15)]


def _part(encoded):
    """The hex-prefix encoding (appendix C)."""
    found = nibbles(encoded) if isinstance(encoded, bytes) else []
    if not found or found[0] > 3 or (found[0] % 2 == 0 and found[1] != 0):
        raise NoProof
    return found[0] >= 2, found[1 if found[0] % 2 else 2 :]


def _value(value):
    if not isinstance(value, bytes) or not value:
        raise NoProof
    return value


def logs_of(receipt):
    """Logs of a transaction receipt: address, topics, data."""
    if receipt[0] < 0xC0:
        if not 1 <= receipt[0] <= 4:
            raise NoProof
        receipt = receipt[1:]
    try:
        fields = rlp_decode(receipt)
    except NoRlp as error:
        raise NoProof from error
    if not isinstance(fields, list) or len(fields) != 4:
        raise NoProof
    status, _, _, logs = fields
    if not isinstance(status, bytes) or not (status in (b"", b"\x01") or len(status) == 32):
        raise NoProof
    if not isinstance(logs, list):
        raise NoProof
    try:
        return [_log(log) for log in logs]
    except ValueError as error:
        raise NoProof from error


def _log(log):
    if not isinstance(log, list) or len(log) != 3 or not isinstance(log[1], list) or len(log[1]) > 4:
        raise ValueError
    if not isinstance(log[2], bytes):
        raise ValueError
    return _of_size(log[0], 20), [_of_size(topic, 32) for topic in log[1]], log[2]


# Events (contracts/IReferralCommerce.sol). An indexed argument has a star.

POLICY = [
    ("rewardToken", "address"), ("commissionBps", "uint16"), ("perSaleCap", "uint256"),
    ("campaignLiabilityCap", "uint256"), ("maxRewardedAncestors", "uint8"), ("weightsBps", "uint16[]"),
    ("shortPathMode", "uint8"), ("holdSeconds", "uint32"), ("expiry", "uint64"), ("regions", "string[]"),
    ("sharingRules", "string[]"),
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
    "SaleFinalized": "saleId*:uint256 campaignId*:uint256",
    "SaleReversed": "saleId*:uint256 campaignId*:uint256 reasonHash:bytes32",
    "RewardsClaimed": "campaignId*:uint256 account*:address amount:uint256",
}
TRUST_MODES = ["NATIVE_ONCHAIN", "MERCHANT_ATTESTED", "THIRD_PARTY_VERIFIED"]
SHORT_PATH_MODES = ["RENORMALIZE_EXISTING", "RETURN_UNUSED"]


def _arguments(signature):
    split = [argument.split(":") for argument in signature.split()]
    return [(name.rstrip("*"), kind, name.endswith("*")) for name, kind in split]


def _selector(name, arguments):
    policy = "(" + ",".join(kind for _, kind in POLICY) + ")"
    kinds = [policy if kind == "policy" else kind for _, kind, _ in arguments]
    return keccak256(f"{name}({','.join(kinds)})".encode())


EVENTS = {name: _arguments(signature) for name, signature in _SIGNATURES.items()}
BY_SELECTOR = {_selector(name, arguments): name for name, arguments in EVENTS.items()}


class Event:
    """A decoded log of the contract, with its place."""

    def __init__(self, place, block_hash, name, args):
        self.place, self.block_hash, self.name, self.args = place, block_hash, name, args

    def shown(self):
        """As a receipt shows it."""
        number, index, position = self.place
        args = {n: _shown(k, self.args[n]) for n, k, _ in EVENTS[self.name] if n != "campaignId"}
        place = {"blockHash": to_hex(self.block_hash), "blockNumber": str(number)}
        return {"args": args, **place, "logPosition": position, "name": self.name, "transactionIndex": index}


def _shown(kind, value):
    if kind.endswith("[]"):
        return [_shown(kind[:-2], entry) for entry in value]
    if kind.startswith("uint"):
        return value if int(kind[4:]) <= 48 else str(value)
    return value


def decode_log(topics, data):
    """Name and arguments of a log; None if it does not decode as an event that is needed."""
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


# Hashes (docs/protocol.md).


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
    flat = [(kind, policy[name]) for name, kind in POLICY[:9]] + [("bytes32", eligibility)]
    return eligibility, to_hex(keccak256(_encode(flat)))


def terms_hash(terms):
    names = ["merchant", "token", "trustMode", "metadataHash", "salt"]
    return to_hex(keccak256(_encode([("word", terms[name]) for name in names])))


# The split (docs/settlement.md).


def split(amount, policy, liability, available, levels):
    """Pool and shares of a sale."""
    gross = amount * policy["commissionBps"] // 10_000
    cap = max(0, policy["campaignLiabilityCap"] - liability)
    pool = min(gross, policy["perSaleCap"], cap, available)
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
        self.claims = self._claims([e for e in own if e.name == "RewardsClaimed"])

    def _path(self, joins):
        found, following = [], self.record.args["nodeId"]
        if self.scheduled is None:
            return found, False
        most = self.scheduled.args["policy"]["maxRewardedAncestors"]
        while following != 0 and len(found) < most:
            join = joins.get(following)
            is_known = join is not None and join.args["campaignId"] == self.record.args["campaignId"]
            if not is_known or join.place > self.record.place:
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
        policy = {name: _shown(kind, args["policy"][name]) for name, kind in POLICY}
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


# The checks of a sale: each returns (is there a problem, is something missing).


def check_campaign(sale, served):
    if sale.created is None:
        return True, False
    args = sale.created.args
    runs = args["startsAt"] <= sale.sold_at < args["endsAt"]
    attested = bool(sale.named("SaleAttested"))
    token = args["token"] if sale.scheduled is None else sale.scheduled.args["policy"]["rewardToken"]
    sound = runs and token == args["token"] and terms_hash(args) == args["termsHash"]
    sound = sound and attested == (args["trustMode"] != 0)
    return not sound or differs(sale.campaign_fields(), served.get("campaign")), False


def check_sale(sale, served):
    fields = sale.sale_fields()
    strays = [e for e in sale.events if e.args["campaignId"] != sale.record.args["campaignId"]]
    wrong = any(differs(value, served.get(name)) for name, value in fields.items())
    return wrong or bool(strays) or len(sale.named("SaleRecorded")) > 1, False


def check_policy(sale, served):
    if sale.scheduled is None:
        return True, False
    args = sale.scheduled.args
    hashes = policy_hashes(args["policy"])
    in_effect = [e.args["version"] for e in sale.versions if e.args["effectiveAt"] <= sale.sold_at]
    wrong = hashes != (args["eligibilityHash"], args["policyHash"])
    wrong = wrong or not in_effect or max(in_effect) != args["version"] or sale.sold_at >= args["policy"]["expiry"]
    return wrong or differs(sale.policy_fields(), served.get("policy")), False


def check_path(sale, served):
    if sale.scheduled is None:
        return False, True
    return not sale.path_is_whole or differs(sale.path_fields(), served.get("path")), False


def check_split(sale, served):
    fields = sale.split_fields()
    wrong = fields is not None and differs(fields, served.get("split"))
    if sale.scheduled is None or not sale.path_is_whole:
        return wrong, True
    policy, args = sale.scheduled.args["policy"], sale.record.args
    weights = policy["weightsBps"]
    if len(weights) != policy["maxRewardedAncestors"] or not all(weights):
        return wrong, True
    _, pool, shares = split(args["amount"], policy, 0, args["pool"], len(sale.joins))
    return wrong or pool != args["pool"] or shares != args["shares"], False


def check_transitions(sale, served):
    wrong = differs([event.shown() for event in sale.events], served.get("transitions"))
    wrong = wrong or differs([claim.shown() for claim in sale.claims], served.get("claims"))
    has_levels = any("level" in event.args for event in sale.events)
    return wrong or not History(sale).follows(), has_levels and not sale.path_is_whole


def check_state(sale, served):
    wrong = any(differs(value, served.get(name)) for name, value in sale.state_fields().items())
    if sale.scheduled is None:
        return wrong, True
    hold = sale.sold_at + sale.scheduled.args["policy"]["holdSeconds"]
    return wrong or hold != sale.record.args["holdUntil"], hides_refunds(sale)


def check_figures(sale, served):
    receipt = sale.receipt()
    return receipt is not None and differs(receipt, served), receipt is None


SALE_CHECKS = {
    "campaign": check_campaign, "sale": check_sale, "policy": check_policy, "path": check_path, "split": check_split,
    "transitions": check_transitions, "state": check_state, "figures": check_figures,
}


def differs(a, b):
    return b is None and a is not None or canonical(a) != canonical(b)


def hides_refunds(sale):
    """True if refunds of a finalized sale may be missing, and no reward limits them."""
    amount, shares = sale.record.args["amount"], sale.record.args["shares"]
    if not sale.named("SaleFinalized"):
        return False
    rest = amount - sale.refunded_total
    limited = any(share * rest // amount > 0 for share in shares)
    return not limited and rest > 1


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
        self.require(self.state == "pending")
        self._close(event, "RewardVested")
        self.require(self.sale.times[event.place[0]] >= self.sale.record.args["holdUntil"])
        self.require(all(reserved <= 0 for reserved in self.reserved))
        self.state = "finalized"

    def _reverse(self, event):
        self.require(self.state == "finalized" and self.attested)
        self._close(event, "RewardReversed")
        finalized = self.sale.named("SaleFinalized")
        if finalized:
            seconds = self.sale.times[event.place[0]] - self.sale.times[finalized[0].place[0]]
            self.require(seconds <= REVERSAL_SECONDS)
        for vested, moved in zip(self.vested, self.reversed):
            claimed = vested is not None and any(
                claim.args["account"] == vested.args["recipient"] and vested.place < claim.place < event.place
                for claim in self.sale.claims
            )
            self.require(moved == (0 if claimed or vested is None else vested.args["amount"]))
        self.state = "reversed"


# The verdict.


def verify(data: bytes, contract=None, chain_id=None, block_hashes=()) -> dict:
    """Status of each check, and the verdict."""
    try:
        bundle = parse_bundle(data)
    except NoBundle:
        return _verdict({name: "unavailable" for name in CHECKS} | {"format": "fail"})
    given = {block_hash.lower() for block_hash in block_hashes}
    checks = {"format": "pass", "contract": _contract(bundle, contract, chain_id)}
    headers = read_headers(bundle)
    checks["blocks"] = _status(
        headers is None or header_problems(headers, bundle["proofs"]),
        headers is not None and bool(open_blocks(headers, bundle["proofs"], given)),
    )
    by_number = {header.number: header for header in headers or []}
    try:
        logs = _proven_logs(bundle, by_number)
    except (NoProof, KeyError):
        return _verdict(checks | {"proofs": "fail"} | {name: "unavailable" for name in SALE_CHECKS})
    events = _events(logs, by_number, bytes.fromhex(bundle["contractAddress"][2:]))
    sale_id = int(bundle["saleId"])
    record = next((e for e in events if e.name == "SaleRecorded" and e.args["saleId"] == sale_id), None)
    if record is None:
        checks |= {"proofs": "fail"} | {name: "unavailable" for name in SALE_CHECKS}
        return _verdict(checks | {"sale": "fail"})
    sale = Sale(events, record, {number: header.time for number, header in by_number.items()})
    used = {event.place[:2] for event in sale.needed()}
    checks["proofs"] = _status(any(place not in used for place, _ in logs), False)
    for name, check in SALE_CHECKS.items():
        checks[name] = _status(*check(sale, bundle["receipt"]))
    return _verdict(checks)


def _contract(bundle, contract, chain_id):
    wrong = contract is not None and contract.lower() != bundle["contractAddress"]
    wrong = wrong or (chain_id is not None and chain_id != bundle["chainId"])
    return _status(wrong, contract is None)


def _proven_logs(bundle, by_number):
    found = []
    for proof in bundle["proofs"]:
        number = int(proof["blockNumber"])
        for index, logs in prove(proof, by_number[number]):
            found.append(((number, index), logs))
    return found


def _events(receipts, by_number, contract):
    found = []
    for (number, index), logs in receipts:
        for position, (address, topics, data) in enumerate(logs):
            decoded = decode_log(topics, data) if address == contract else None
            if decoded is not None:
                found.append(Event((number, index, position), by_number[number].hash, *decoded))
    return sorted(found, key=lambda event: event.place)


def _status(problem, missing):
    return "fail" if problem else "unavailable" if missing else "pass"


def _verdict(checks):
    ordered = {name: checks[name] for name in CHECKS}
    worst = next((status for status in ("fail", "unavailable") if status in ordered.values()), "pass")
    return {"verdict": worst, "checks": ordered}


# Commands.


def run_batch():
    for line in sys.stdin:
        try:
            asked = json.loads(line)
            trust = asked.get("contract"), asked.get("chainId"), asked.get("blockHashes", [])
            answer = verify(asked["file"].encode("utf-8", "surrogatepass"), *trust)
        except Exception:
            answer = {"verdict": "error", "error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


def run_vectors(folder):
    def load(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)

    def agrees(vector):
        policy = vector["policy"] | {n: int(vector["policy"][n]) for n in ("perSaleCap", "campaignLiabilityCap")}
        numbers = [int(vector[name]) for name in ("amount", "liability", "available")]
        gross, pool, shares = split(numbers[0], policy, numbers[1], numbers[2], len(vector["path"]))
        expected = vector["expected"]
        return [str(gross), str(pool if vector["path"] else 0), [str(share) for share in shares]] == [
            expected["gross"],
            expected["pool"] if vector["path"] else "0",
            [share["amount"] for share in expected["shares"]],
        ]

    results = {
        "split.json": [agrees(vector) for vector in load("split.json")],
        "terms.json": [terms_hash(terms) == terms["termsHash"] for terms in load("terms.json")],
    }
    for name, agreed in results.items():
        print(f"{name} {sum(agreed)} of {len(agreed)}")
    return 0 if all(all(agreed) for agreed in results.values()) else 1


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("bundle")
    one.add_argument("file")
    one.add_argument("--contract")
    one.add_argument("--chain-id", type=int)
    one.add_argument("--block-hash", action="append", default=[])
    commands.add_parser("batch")
    commands.add_parser("vectors").add_argument("folder")
    options = parser.parse_args()
    if options.command == "batch":
        return run_batch()
    if options.command == "vectors":
        return run_vectors(options.folder)
    with open(options.file, "rb") as file:
        result = verify(file.read(), options.contract, options.chain_id, options.block_hash)
    for name, status in result["checks"].items():
        print(f"{status:12} {name}")
    print(result["verdict"])
    return {"pass": 0, "fail": 1, "unavailable": 3}[result["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
