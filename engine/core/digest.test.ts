import { describe, expect, it } from 'vitest';
import { randomHistory } from '../../test/support/history.ts';
import { keccak } from '../../test/support/ledger.ts';
import { canonicalEvent, EMPTY_DIGEST, encodeApplied, nextDigest } from './digest.ts';
import type { Fact, Hex } from './events.ts';
import { applyAll, emptyCampaign } from './fold/index.ts';

const facts = randomHistory({ seed: 3, steps: 120, campaigns: 1 });
const { applied } = applyAll(emptyCampaign('1'), facts);

function digestsOf(history: readonly Fact[]): Hex[] {
  let digest = EMPTY_DIGEST;
  return applyAll(emptyCampaign('1'), history).applied.map((one) => {
    digest = nextDigest(keccak, digest, one);
    return digest;
  });
}

describe('the digest', () => {
  it('encodes an event as docs/reference/digest.md says: fixed lengths, 278 bytes for each entry', () => {
    for (const one of applied) {
      const event = new TextEncoder().encode(canonicalEvent(one.fact)).length;
      const credit = one.credit === null ? 1 : 1 + 20 + 32;
      const entries = 4 + 278 * one.entries.length;
      const bytes = 75 + 32 + 4 + event + entries + credit + 1 + 32 + 16 + 352 + 40;
      expect(encodeApplied(one).length).toBe(bytes);
    }
  });

  it('writes events as lists, integers in quotes, structs as lists, enums by name', () => {
    const [created, policy] = facts;
    if (created === undefined || policy === undefined) throw new Error('a history begins with two');
    expect(JSON.parse(canonicalEvent(created)).slice(0, 4)).toEqual([
      'CampaignCreated',
      '0x00000000000000000000000000000000000003e8',
      '0x0000000000000000000000000000000000000001',
      '6',
    ]);
    const [name, version, effectiveAt, terms] = JSON.parse(canonicalEvent(policy));
    expect([name, version, effectiveAt]).toEqual(['PolicyScheduled', '1', '1700000000']);
    expect(terms).toHaveLength(12);
    expect(['RENORMALIZE_EXISTING', 'RETURN_UNUSED']).toContain(terms[6]);
  });

  it("encodes a total modulo 2^256, and a balance below zero as two's complement", () => {
    const one = applied.find(({ entries }) => entries.length > 0);
    const [entry] = one?.entries ?? [];
    if (one === undefined || entry === undefined) throw new Error('the history moves rewards');
    const encoded = (refunded: bigint) =>
      encodeApplied({ ...one, entries: [{ ...entry, after: { ...entry.after, refunded } }] });
    expect(encoded(2n ** 256n + 5n)).toEqual(encoded(5n));
    expect(encoded(7n * 2n ** 256n)).toEqual(encoded(0n));
    expect(encoded(-1n)).toEqual(encoded(2n ** 256n - 1n));
    expect(encoded(2n ** 255n)).not.toEqual(encoded(2n ** 255n - 1n));
    const [zero, high] = [encoded(0n), encoded(2n ** 300n + 0xabcdefn)];
    const changed = [...high.keys()].filter((at) => high[at] !== zero[at]);
    expect(changed.map((at) => high[at])).toEqual([0xab, 0xcd, 0xef]);
    expect((changed.at(-1) ?? 0) - (changed[0] ?? 0)).toBe(2);
  });

  it('changes the digests from the changed event on, and none before it', () => {
    const at = facts.findIndex(({ name }) => name === 'SaleRecorded');
    const changed = facts.map((fact, i) =>
      i === at ? { ...fact, blockHash: `0x${'ab'.repeat(32)}` as Hex } : fact,
    );
    const [before, after] = [digestsOf(facts), digestsOf(changed)];
    expect(after.slice(0, at)).toEqual(before.slice(0, at));
    expect(after.slice(at).some((digest, i) => digest === before[at + i])).toBe(false);
  });
});
