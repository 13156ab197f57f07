import { readFileSync } from 'node:fs';
import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt';
import fc from 'fast-check';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findInTrie, TrieError } from './trie.ts';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)]);
const Tries = z.strictObject({
  source: z.string(),
  tries: z.record(
    z.string(),
    z.strictObject({ entries: z.record(hex, hex), absent: z.array(hex), root: hex }),
  ),
});
const file = new URL('../../../test/vectors/ethereum-tries.json', import.meta.url);
const { tries } = Tries.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The nodes on the way to a key, by a public implementation. */
async function wayTo(entries: readonly (readonly [Hex, Hex])[], key: Hex) {
  const trie = new MerklePatriciaTrie();
  for (const [name, value] of entries) await trie.put(hexToBytes(name), hexToBytes(value));
  return { root: trie.root(), nodes: await createMerkleProof(trie, hexToBytes(key)) };
}

function find(root: Uint8Array, key: Hex, nodes: readonly Uint8Array[]): Hex | undefined {
  const known = new Map(nodes.map((node) => [keccak256(node), node]));
  const value = findInTrie(root, hexToBytes(key), (hash) => known.get(bytesToHex(hash)));
  return value && bytesToHex(value);
}

function entriesOf(map: Readonly<Record<string, Hex>>): [Hex, Hex][] {
  return Object.entries(map).map(([key, value]) => [hex.parse(key), value]);
}

describe('findInTrie on the public vectors', () => {
  it.each(Object.entries(tries))(
    'finds every key of a public vector, and no other: %s',
    async (_, trie) => {
      const entries = entriesOf(trie.entries);
      for (const [key, value] of entries) {
        const { root, nodes } = await wayTo(entries, key);
        expect(bytesToHex(root)).toBe(trie.root);
        expect(find(root, key, nodes)).toBe(value);
      }
      for (const key of trie.absent) {
        const { root, nodes } = await wayTo(entries, key);
        expect(find(root, key, nodes)).toBeUndefined();
      }
    },
  );

  it.each(Object.entries(tries))(
    'detects every flipped byte in a public vector: %s',
    async (_, trie) => {
      const entries = entriesOf(trie.entries);
      for (const [key] of entries) {
        const { root, nodes } = await wayTo(entries, key);
        for (const [i, node] of nodes.entries()) {
          for (let at = 0; at < node.length; at += 1) {
            const flipped = node.map((byte, j) => (j === at ? byte ^ 1 : byte));
            const changed = nodes.map((other, j) => (j === i ? flipped : other));
            // A node that its parent contains is in the list, too, but is never read from it.
            if (node.length >= 32 || i === 0) {
              expect(() => find(root, key, changed)).toThrow(TrieError);
            }
          }
        }
      }
    },
  );
});

describe('findInTrie', () => {
  it('agrees with a public implementation on random tries', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 6 }).map((value) => bytesToHex(value));
    const value = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((one) => bytesToHex(one));
    const map = fc.dictionary(bytes, value, { minKeys: 1, maxKeys: 40 });
    await fc.assert(
      fc.asyncProperty(map, bytes, async (dictionary, other) => {
        const entries = entriesOf(dictionary);
        for (const key of [...entries.slice(0, 5).map(([name]) => name), other]) {
          const { root, nodes } = await wayTo(entries, key);
          expect(find(root, key, nodes)).toBe(dictionary[key]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('refuses a path with a missing or invalid node', () => {
    const root = new Uint8Array(32);
    expect(() => find(root, '0x01', [])).toThrow('a node on the way is missing');
    for (const [raw, reason] of [
      ['0xc3010203', 'neither a branch'],
      ['0x83010203', 'neither a branch'],
      ['0xc9', 'no RLP'],
      ['0xc24001', 'not encoded as one'],
      ['0xc20101', 'not encoded as one'],
    ] as const) {
      const node = hexToBytes(raw);
      expect(() => find(hexToBytes(keccak256(node)), '0x01', [node])).toThrow(reason);
    }
  });
});
