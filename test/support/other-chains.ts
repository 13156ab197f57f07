import { readFileSync } from 'node:fs';
import { type Hex, hexToBytes, keccak256 } from 'viem';
import { z } from 'zod';
import type { ReceiptLog } from '../../engine/verify/bundle/transaction-receipt.ts';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)]);
const Log = z.strictObject({ address: hex, topics: z.array(hex), data: hex });
const Receipt = z.looseObject({ type: hex, logsBloom: hex, logs: z.array(Log) });
const Header = z.object({ receiptsRoot: hex }).catchall(hex);
const Vectors = z.strictObject({
  about: z.string(),
  blocks: z.array(
    z.strictObject({
      name: z.string(),
      chainId: z.int(),
      source: z.string(),
      header: Header,
      hasReceipts: z.boolean(),
    }),
  ),
  receipts: z.array(Receipt.extend({ block: z.string() })),
});

/** A receipt as an RPC returns it. */
export type RpcReceipt = z.infer<typeof Receipt>;

const file = new URL('../vectors/other-chains.json', import.meta.url);
const { blocks, receipts } = Vectors.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Real blocks of other chains, as their RPCs return them. */
export const chainBlocks = blocks.map(({ name, chainId, header, hasReceipts }) => ({
  name,
  chainId,
  header,
  /** All receipts of the block, or undefined if they are not recorded. */
  receipts: hasReceipts
    ? receipts.filter(({ block }) => block === name).map(({ block, ...receipt }) => receipt)
    : undefined,
}));

/** Blocks of which the whole header is recorded. */
export const wholeHeaders = chainBlocks.filter(({ header }) => header.hash !== undefined);

/** Blocks of which all receipts are recorded. */
export const wholeReceipts = chainBlocks.flatMap(({ receipts: list, ...block }) =>
  list === undefined ? [] : [{ ...block, receipts: list }],
);

/** Computes the bloom filter of logs (Yellow Paper, section 4.3.1). */
export function bloomOf(logs: readonly ReceiptLog[]): Uint8Array {
  const bloom = new Uint8Array(256);
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics] as Hex[]) {
      const digest = hexToBytes(keccak256(value));
      for (const i of [0, 2, 4]) {
        const bit = ((digest[i] ?? 0) * 256 + (digest[i + 1] ?? 0)) % 2048;
        const place = 255 - Math.floor(bit / 8);
        bloom[place] = (bloom[place] ?? 0) | (1 << (bit % 8));
      }
    }
  }
  return bloom;
}
