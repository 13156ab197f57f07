"""A second verifier of receipt bundles, after docs/reference/bundle.md, with the standard library alone.

It shares no code with the first one (engine/verify), so that a fault of either, or of the page, shows as a difference.

    python3 verify_bundle.py bundle FILE --contract 0x.. --block-hash 0x..   one check per line, the verdict last
    python3 verify_bundle.py batch                                           a question per line of JSON on standard input
    python3 verify_bundle.py vectors FOLDER                                  splits and terms hashes
    python3 verify_bundle.py encodings                                       a header or receipt per line of JSON
"""

import argparse
import functools
import json
import os
import re
import sys
import traceback
from decimal import Decimal

from protocol import (
    MAX_SAFE, MAX_TIME, Event, History, Sale, campaign_problem, decode_log, hold_problem, keccak256, path_problem, policy_problem,
    read_json, sale_problem, split, split_problem, terms_hash, to_hex,
)

MAX_BYTES, MAX_HEADERS, MAX_PROOFS = 16_777_216, 8_448, 256
CHECKS = ["format", "contract", "blocks", "proofs", "campaign", "sale", "policy", "path", "split"]
CHECKS += ["transitions", "state", "figures"]
# Types of receipts, and how many integers may follow the logs.
EXTRA_FIELDS = {kind: (0,) for kind in (1, 2, 3, 4, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6A, 0x7C, 0x7F)}
EXTRA_FIELDS |= {0x7B: (0, 1), 0x7E: (0, 2)}


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


@functools.lru_cache(2**14)
def _text(value):
    spelt = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", spelt)


def parse_json(text):
    try:
        return read_json(text)
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
    if value["format"] != "tributary-receipt-bundle-2" or canonical(value) != text:
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
    counts = (0,)
    if receipt[0] < 0xC0:
        if receipt[0] not in EXTRA_FIELDS:
            raise NoProof
        counts = EXTRA_FIELDS[receipt[0]]
        receipt = receipt[1:]
    try:
        fields = rlp_decode(receipt)
    except NoRlp as error:
        raise NoProof from error
    if not isinstance(fields, list) or len(fields) - 4 not in counts:
        raise NoProof
    status, _, _, logs, *extra = fields
    if any(not isinstance(one, bytes) or len(one) > 32 or one[:1] == b"\0" for one in extra):
        raise NoProof
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


# The checks of a sale: each returns (is there a problem, is something missing).


def check_campaign(sale, served):
    if sale.created is None:
        return True, False
    return campaign_problem(sale) or differs(sale.campaign_fields(), served.get("campaign")), False


def check_sale(sale, served):
    wrong = any(differs(value, served.get(name)) for name, value in sale.sale_fields().items())
    return wrong or sale_problem(sale), False


def check_policy(sale, served):
    if sale.scheduled is None:
        return True, False
    return policy_problem(sale) or differs(sale.policy_fields(), served.get("policy")), False


def check_path(sale, served):
    if sale.scheduled is None:
        return False, True
    return path_problem(sale) or differs(sale.path_fields(), served.get("path")), False


def check_split(sale, served):
    fields = sale.split_fields()
    wrong = fields is not None and differs(fields, served.get("split"))
    if sale.scheduled is None or not sale.path_is_whole:
        return wrong, True
    recorded = split_problem(sale, 0, sale.record.args["pool"])
    return wrong or bool(recorded), recorded is None


def check_transitions(sale, served):
    wrong = differs([event.shown() for event in sale.events], served.get("transitions"))
    wrong = wrong or differs([claim.shown() for claim in sale.claims], served.get("claims"))
    has_levels = any("level" in event.args for event in sale.events)
    return wrong or not History(sale).follows(), has_levels and not sale.path_is_whole


def check_state(sale, served):
    wrong = any(differs(value, served.get(name)) for name, value in sale.state_fields().items())
    if sale.scheduled is None:
        return wrong, True
    return wrong or hold_problem(sale), False


def check_figures(sale, served):
    receipt = sale.receipt()
    return receipt is not None and differs(receipt, served), receipt is None


SALE_CHECKS = {
    "campaign": check_campaign, "sale": check_sale, "policy": check_policy, "path": check_path, "split": check_split,
    "transitions": check_transitions, "state": check_state, "figures": check_figures,
}


def differs(a, b):
    return b is None and a is not None or canonical(a) != canonical(b)


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
            decoded = decode_log(tuple(topics), data) if address == contract else None
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
        if line == "\n":
            continue
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


def read_encoding(question):
    """What is read of a header or of a receipt; None if it is none."""
    encoded = bytes.fromhex(question["encoded"][2:])
    try:
        if question["kind"] == "header":
            header = Header(encoded)
            hashes = [to_hex(one) for one in (header.hash, header.parent, header.receipts_root)]
            return [*hashes, header.number, header.time]
        return [[to_hex(address), [to_hex(topic) for topic in topics], to_hex(data)] for address, topics, data in logs_of(encoded)]
    except (NoRlp, NoProof, ValueError):
        return None


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("bundle")
    one.add_argument("file")
    one.add_argument("--contract")
    one.add_argument("--chain-id", type=int)
    one.add_argument("--block-hash", action="append", default=[])
    commands.add_parser("batch")
    commands.add_parser("encodings")
    commands.add_parser("vectors").add_argument("folder")
    options = parser.parse_args()
    if options.command == "batch":
        return run_batch()
    if options.command == "encodings":
        for line in sys.stdin:
            print(json.dumps(read_encoding(json.loads(line))))
        return 0
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
