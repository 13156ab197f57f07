/*
 * Of each new block Ponder asks its bloom for the contract and all its events, and for each log's
 * address and topics. It hashes each of them every time, and turns the bloom into bytes every time.
 */

/** Hashes that are kept: more than the events and accounts of some hundred blocks. */
const KEPT_MOST = 20_000;

/**
 * Whether a block's `logsBloom` may hold an address or a topic (Yellow Paper, §4.3.1), as Ponder's
 * `isInBloom` says it.
 */
export function bloomTest(keccak256) {
  const kept = new Map();

  /** Where the three bits stand: the digit of the bloom's hex, and the bit in it. */
  function bitsOf(input) {
    const known = kept.get(input);
    if (known !== undefined) return known;
    const hash = keccak256(input);
    const bits = [2, 6, 10].map((at) => {
      const bit = Number.parseInt(hash.slice(at, at + 4), 16) & 2_047;
      return { digit: 2 + 511 - (bit >> 2), mask: 1 << (bit & 3) };
    });
    if (kept.size >= KEPT_MOST) kept.clear();
    kept.set(input, bits);
    return bits;
  }

  return (bloom, input) =>
    bitsOf(input).every(({ digit, mask }) => (Number.parseInt(bloom[digit], 16) & mask) !== 0);
}
