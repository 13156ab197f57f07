import { describe, expect, it } from 'vitest';
import { randomHistory } from '../../test/support/history.ts';
import { keccak } from '../../test/support/ledger.ts';
import {
  canonicalEvent,
  compareIds,
  digestRoot,
  EMPTY_DIGEST,
  encodeApplied,
  nextDigest,
} from './digest.ts';
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
  it('encodes an event as the page says: fixed lengths, 278 bytes an entry', () => {
    for (const one of applied) {
      const event = new TextEncoder().encode(canonicalEvent(one.fact)).length;
      const bytes = 75 + 32 + 4 + event + 4 + 278 * one.entries.length + 1 + 32 + 16 + 320 + 40;
      expect(encodeApplied(one).length).toBe(2 * bytes);
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
    expect(terms).toHaveLength(11);
    expect(['RENORMALIZE_EXISTING', 'RETURN_UNUSED']).toContain(terms[6]);
  });

  it('differs from the changed event on, and nowhere before it', () => {
    const at = facts.findIndex(({ name }) => name === 'SaleRecorded');
    const changed = facts.map((fact, i) =>
      i === at ? { ...fact, blockHash: `0x${'ab'.repeat(32)}` as Hex } : fact,
    );
    const [before, after] = [digestsOf(facts), digestsOf(changed)];
    expect(after.slice(0, at)).toEqual(before.slice(0, at));
    expect(after.slice(at).some((digest, i) => digest === before[at + i])).toBe(false);
  });
});

describe('the root of a block', () => {
  const one = { campaignId: '2', digest: `0x${'11'.repeat(32)}` as Hex };
  const two = { campaignId: '10', digest: `0x${'22'.repeat(32)}` as Hex };
  const three = { campaignId: '11', digest: `0x${'33'.repeat(32)}` as Hex };

  it('orders campaigns by the number of their id, whatever order they came in', () => {
    expect(['10', '9', '2'].sort(compareIds)).toEqual(['2', '9', '10']);
    expect(digestRoot(keccak, [three, one, two])).toBe(digestRoot(keccak, [one, two, three]));
  });

  it('is that of the encoding in docs/digest.md', () => {
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
    const hash = (hex: string) => Buffer.from(keccak(bytes(hex))).toString('hex');
    const leaf = (id: number, digest: string) =>
      hash(`00${id.toString(16).padStart(64, '0')}${digest}`);
    const pair = hash(`01${leaf(2, '11'.repeat(32))}${leaf(10, '22'.repeat(32))}`);
    expect(digestRoot(keccak, [one, two])).toBe(`0x${pair}`);
    const lone = hash(`01${pair}${leaf(11, '33'.repeat(32))}`);
    expect(digestRoot(keccak, [one, two, three])).toBe(`0x${lone}`);
    expect(digestRoot(keccak, [])).toBe(EMPTY_DIGEST);
  });
});
