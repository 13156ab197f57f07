import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BundleRow, bundleRows } from '../../engine/verify/bundle/coverage.ts';
import { type Bundle, bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import type { BundleTrust } from '../../engine/verify/bundle/types.ts';
import { bundleOf, faultsOf, forged, fullTrust } from './bundles.ts';
import { tamperings } from './tamper.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let reversed: Bundle;
let small: Bundle;
let trust: BundleTrust;

beforeAll(async () => {
  scene = await startVerifyFixture();
  const sales = await playSales(scene);
  reversed = await bundleOf(scene, sales.reversed, { maxLinkHeaders: 1 });
  small = await bundleOf(scene, sales.firstOfBlock);
  trust = fullTrust(reversed);
});
afterAll(() => scene?.chain.stop());

/** The check that the table of coverage names for a member of the file, or for a part of it. */
function checkOf(what: string): string | undefined {
  const path = what.replace(/\[.*$/, '');
  const isAbout = ({ member }: BundleRow) =>
    `${member}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${member}.`);
  return bundleRows().find(isAbout)?.check;
}

describe('a file of which a byte was changed', () => {
  it('passes no bundle with a byte changed', {
    timeout: 600_000,
  }, () => {
    const text = bundleText(small);
    const file = new TextEncoder().encode(text);
    const knows = fullTrust(small);
    expect(verifyBundle(file, knows).verdict).toBe('pass');
    // Within long hex, all digits are alike: of headers and nodes every fifth, each takes a hash of the file.
    const alike = new Set(
      [...text.matchAll(/(?<=[0-9a-f]{66})[0-9a-f](?=[0-9a-f])/g)].map(({ index }) => index),
    );
    for (let at = 0; at < file.length; at += 1) {
      if (alike.has(at) && at % 5 !== 0) continue;
      const byte = file[at] ?? 0;
      // Each of the eight bits in its turn.
      file[at] = byte ^ (1 << (at & 7));
      const { verdict, checks } = verifyBundle(file, knows);
      if (verdict !== 'fail' || checks[0]?.status !== 'fail') {
        throw new Error(`Byte ${at} may be ${file[at]} instead of ${byte}.`);
      }
      file[at] = byte;
    }
  });

  it('passes no bundle with a byte added or removed', () => {
    const text = bundleText(small);
    const knows = fullTrust(small);
    for (const file of [
      `${text}\n`,
      ` ${text}`,
      `\uFEFF${text}`,
      text.slice(0, -1),
      '',
      'null',
      '[]',
      '{}',
      text.replace(':', ': '),
      text.replace('"chainId":31337', '"chainId":31337.0'),
      text.replace('"chainId":31337', '"chainId":31337,"chainId":31337'),
      text.replace(/"0x[0-9a-f]+"/, (hex) => hex.toUpperCase().replace('0X', '0x')),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      'x'.repeat(16_777_217),
    ]) {
      const result = verifyBundle(file, knows);
      expect([result.verdict, result.checks[0]?.status]).toEqual(['fail', 'fail']);
      expect(result).toMatchObject({ saleId: null, blocks: [] });
    }
  });
});

describe('a bundle that was changed, and hashed again', () => {
  it('fails the right check for any changed field of the receipt', { timeout: 300_000 }, () => {
    const changed = tamperings(reversed.receipt);
    expect(changed.length).toBeGreaterThan(400);
    for (const { what, receipt } of changed) {
      const result = verifyBundle(forged({ ...reversed, receipt }), trust);
      const faults = faultsOf(result);
      expect([what, result.verdict, faults]).toEqual([
        what,
        'fail',
        expect.arrayContaining([
          // A member that no check knows is found by the comparison of the whole.
          ...(what.endsWith('injected') ? [] : [`${checkOf(`receipt.${what}`)}: fail`]),
          'figures: fail',
        ]),
      ]);
    }
  });

  it('fails the check that the table of coverage names for another contract or sale', () => {
    for (const [member, value] of [
      ['contractAddress', `0x${'1'.repeat(40)}`],
      ['saleId', '99'],
    ] as const) {
      const result = verifyBundle(forged({ ...reversed, [member]: value }), trust);
      expect(faultsOf(result)).toContain(`${checkOf(member)}: fail`);
    }
  });

  it('finds in a bundle every member that the table of coverage says is proven', () => {
    for (const { member } of bundleRows()) {
      const value = member?.split('.').reduce<unknown>((at, name) => Object(at)[name], reversed);
      expect([member, value === undefined]).toEqual([member, member === undefined]);
    }
  });

  it('passes no rehashed bundle with any changed member', {
    timeout: 300_000,
  }, () => {
    const { bundleHash: _, receipt: __, ...rest } = reversed;
    for (const { what, receipt: changed } of tamperings(rest)) {
      const file = forged({ ...Object(changed), receipt: reversed.receipt });
      const { verdict } = verifyBundle(file, trust);
      expect([what, verdict]).not.toEqual([what, 'pass']);
    }
  });

  it('passes no rehashed bundle with a changed byte of a header or a node', {
    timeout: 300_000,
  }, () => {
    const knows = fullTrust(small);
    const [proof] = small.proofs;
    if (proof === undefined) throw new Error('The bundle has no proof.');
    const parts = [...small.headers, ...proof.nodes];
    for (const [i, hex] of parts.entries()) {
      // Every fifth byte: each takes the whole verification.
      for (let at = 2; at < hex.length; at += 10) {
        const value = Number.parseInt(hex.slice(at, at + 2), 16) ^ (1 << (at & 7));
        const flipped = hex.slice(0, at) + value.toString(16).padStart(2, '0') + hex.slice(at + 2);
        const all = parts.map((part, j) => (j === i ? flipped : part));
        const headers = all.slice(0, small.headers.length);
        const nodes = all.slice(small.headers.length);
        const file = forged({ ...small, headers, proofs: [{ ...proof, nodes }] });
        const { verdict } = verifyBundle(file, knows);
        if (verdict === 'pass') throw new Error(`Byte ${at / 2 - 1} of part ${i} may be ${value}.`);
      }
    }
  });

  it('fails a bundle without a receipt that it needs, or with one that it does not need', async () => {
    const { proofs, headers } = reversed;
    for (const [i, { blockNumber }] of proofs.entries()) {
      const file = forged({ ...reversed, proofs: proofs.filter((_, j) => j !== i) });
      expect([blockNumber, verifyBundle(file, trust).verdict]).toEqual([blockNumber, 'fail']);
    }
    const other = await bundleOf(scene, 1n);
    const [first] = other.proofs;
    const more = { headers: [other.headers[0], ...headers], proofs: [first, ...proofs] };
    const knows = {
      ...trust,
      blockHashes: [...trust.blockHashes, ...fullTrust(other).blockHashes],
    };
    const result = verifyBundle(forged({ ...reversed, ...more }), knows);
    expect(faultsOf(result)).toEqual(['proofs: fail']);
    expect(result.checks[3]?.message).toContain('has nothing that the sale needs');
  });

  it('fails a bundle with nodes in another order, repeated, or unused', () => {
    const [proof] = small.proofs;
    if (proof === undefined) throw new Error('The bundle has no proof.');
    const [root = '0x', ...others] = proof.nodes;
    const [foreign = '0x'] = reversed.proofs[0]?.nodes ?? [];
    for (const nodes of [
      [...others, root],
      [root, ...proof.nodes],
      [...proof.nodes, foreign],
      proof.nodes.slice(0, -1),
    ]) {
      const file = forged({ ...small, proofs: [{ ...proof, nodes }] });
      expect(faultsOf(verifyBundle(file, fullTrust(small)))).toContain('proofs: fail');
    }
  });

  it('fails a bundle with a header that links nothing', () => {
    const [first] = reversed.headers;
    const file = forged({ ...small, headers: [first, ...small.headers] });
    expect(faultsOf(verifyBundle(file, fullTrust(small)))).toEqual(['blocks: fail']);
  });
});
