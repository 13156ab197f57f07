import { readFileSync } from 'node:fs';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readHeader } from '../header.ts';
import { receiptKey } from '../prove.ts';
import { readReceiptLogs } from '../transaction-receipt.ts';
import { findInTrie } from '../trie.ts';
import { receiptsTrie } from './receipts-trie.ts';
import { encodeHeader, encodeReceipt, RpcShapeError } from './rlp-of-rpc.ts';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)]);
const Receipt = z.looseObject({
  logs: z.array(z.strictObject({ address: hex, topics: z.array(hex), data: hex })),
});
const Blocks = z.strictObject({
  source: z.string(),
  blocks: z.record(z.string(), z.looseObject({ hash: hex, number: hex, receiptsRoot: hex })),
  receipts: z.record(z.string(), z.array(Receipt)),
  raw: z.strictObject({ header: hex, receipts: z.array(hex) }),
});
const file = new URL('../../../../test/vectors/ethereum-blocks.json', import.meta.url);
const { blocks, receipts, raw } = Blocks.parse(JSON.parse(readFileSync(file, 'utf8')));

describe('block headers', () => {
  it.each(Object.entries(blocks))(
    'encodes a block header that hashes to its block: %s',
    (_, block) => {
      const rlp = bytesToHex(encodeHeader(block));
      expect(keccak256(rlp)).toBe(block.hash);
      expect(readHeader(rlp)).toMatchObject({
        hash: block.hash,
        number: BigInt(block.number),
        parentHash: block.parentHash,
        receiptsRoot: block.receiptsRoot,
        timestamp: Number(block.timestamp),
      });
    },
  );

  it('encodes a header with fields of future forks', () => {
    const prague = blocks.prague;
    const bytes = encodeHeader({ ...prague });
    // One more field of 32 bytes: the list's length is in its second and third byte.
    const length = (bytes[1] ?? 0) * 256 + (bytes[2] ?? 0) + 33;
    const longer = Uint8Array.from([
      ...[0xf9, length >> 8, length & 255],
      ...bytes.subarray(3),
      ...[0xa0, ...new Uint8Array(32)],
    ]);
    expect(readHeader(bytesToHex(longer))?.receiptsRoot).toBe(prague?.receiptsRoot);
  });

  it('refuses bytes that are not a header', () => {
    for (const rlp of ['0x80', '0xc0', '0xc20102', '0xf9', raw.receipts[0]] as Hex[]) {
      expect(readHeader(rlp)).toBeUndefined();
    }
  });

  it('refuses a block that lacks a field', () => {
    expect(() => encodeHeader({ ...blocks.london, stateRoot: undefined })).toThrow(RpcShapeError);
    expect(() => encodeHeader({ ...blocks.london, number: 27 })).toThrow('no number');
  });
});

describe('transaction receipts', () => {
  it.each(Object.entries(receipts))(
    'encodes receipts that have the root of their block: %s',
    async (name, list) => {
      const encoded = list.map(encodeReceipt);
      const trie = await receiptsTrie(encoded);
      expect(trie.root).toBe(blocks[name]?.receiptsRoot);
      for (const [i, receipt] of list.entries()) {
        const nodes = (await trie.nodesTo([i])).map((node) => hexToBytes(node));
        const known = new Map(nodes.map((node) => [keccak256(node), node]));
        const found = findInTrie(hexToBytes(trie.root), receiptKey(i), (hash) =>
          known.get(bytesToHex(hash)),
        );
        expect(found).toEqual(encoded[i]);
        expect(readReceiptLogs(found ?? new Uint8Array())).toEqual(receipt.logs);
      }
    },
  );

  it('computes the receipts root that a node put into the header', async () => {
    const trie = await receiptsTrie(raw.receipts.map((receipt) => hexToBytes(receipt)));
    expect(trie.root).toBe(readHeader(raw.header)?.receiptsRoot);
  });

  it('refuses bytes that are not a receipt, and receipts of an unknown type', () => {
    const [first = '0x'] = raw.receipts;
    for (const [bytes, reason] of [
      [`0x05${first.slice(2)}`, 'type 5'],
      [`0x7d${first.slice(2)}`, 'type 125'],
      [`0x00${first.slice(2)}`, 'type 0'],
      ['0xc0', 'no receipt'],
      ['0xc480808080', 'no receipt'],
      ['0xc4028080c0', 'no receipt'],
      ['0xc501808080c0', 'no receipt'],
      ['0xc5018080c1c0', 'a log that is none'],
      ['0xf8', 'no RLP'],
    ] as const) {
      expect(() => readReceiptLogs(hexToBytes(bytes)), bytes).toThrow(reason);
    }
  });
});
