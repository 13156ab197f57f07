import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, createPublicClient, custom, type Hex, hexToBytes, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  bloomOf,
  chainBlocks,
  type RpcReceipt,
  wholeHeaders,
  wholeReceipts,
} from '../../../../test/support/other-chains.ts';
import { readHeader } from '../header.ts';
import { receiptKey } from '../prove.ts';
import { readReceiptLogs } from '../transaction-receipt.ts';
import { findInTrie } from '../trie.ts';
import { readBlock, readReceiptsTrie } from './read-blocks.ts';
import { receiptsTrie } from './receipts-trie.ts';
import { encodeHeader, encodeReceipt } from './rlp-of-rpc.ts';
import { stateSyncHash } from './state-sync.ts';

/** Fields that an RPC adds to a block of Arbitrum, and the hash itself. */
const NOT_HASHED = ['hash', 'l1BlockNumber', 'sendCount', 'sendRoot'];

const named = <T extends { readonly name: string }>(list: readonly T[]) =>
  list.map((one) => [one.name, one] as const);

async function rootOf(receipts: readonly Record<string, unknown>[]): Promise<Hex> {
  return (await receiptsTrie(receipts.map(encodeReceipt))).root;
}

/** The same bytes with another first digit. */
function altered(value: string): string {
  if (value === '0x') return '0x01';
  return `0x${value[2] === '1' ? '2' : '1'}${value.slice(3)}`;
}

describe('headers of other chains', () => {
  it.each(named(wholeHeaders))('encodes a header that hashes to its block: %s', (_, { header }) => {
    const rlp = bytesToHex(encodeHeader(header));
    expect(keccak256(rlp)).toBe(header.hash);
    expect(readHeader(rlp)).toMatchObject({
      hash: header.hash,
      number: BigInt(header.number ?? ''),
      parentHash: header.parentHash,
      receiptsRoot: header.receiptsRoot,
      timestamp: Number(header.timestamp),
    });
  });

  it.each(named(wholeHeaders))('covers each field with the hash: %s', (_, { header }) => {
    const hashed = Object.keys(header).filter((name) => !NOT_HASHED.includes(name));
    expect(hashed.length).toBeGreaterThan(14);
    for (const name of hashed) {
      const other = { ...header, [name]: altered(header[name] ?? '') };
      expect(keccak256(encodeHeader(other)), name).not.toBe(header.hash);
    }
  });

  it('covers headers of the OP stack, Arbitrum, Polygon, BNB Chain, Gnosis and Avalanche', () => {
    const chains = new Set(wholeHeaders.map(({ chainId }) => chainId));
    expect(chains).toEqual(new Set([1301, 7777777, 42161, 137, 56, 100, 43114]));
  });
});

describe('receipts of other chains', () => {
  it.each(named(wholeReceipts))(
    'encodes receipts that have the root of their block: %s',
    async (_, { header, receipts }) => {
      const trie = await receiptsTrie(receipts.map(encodeReceipt));
      expect(trie.root).toBe(header.receiptsRoot);
      for (const [i, { logs }] of receipts.entries()) {
        const nodes = (await trie.nodesTo([i])).map((node) => hexToBytes(node));
        const known = new Map(nodes.map((node) => [keccak256(node), node]));
        const found = findInTrie(hexToBytes(trie.root), receiptKey(i), (hash) =>
          known.get(bytesToHex(hash)),
        );
        expect(readReceiptLogs(found ?? new Uint8Array())).toEqual(logs);
      }
    },
  );

  it.each(named(wholeReceipts))('computes the blooms: %s', (_, { header, receipts }) => {
    for (const { logs, logsBloom } of receipts) expect(bytesToHex(bloomOf(logs))).toBe(logsBloom);
    const all = receipts.flatMap(({ logs }) => logs);
    if (header.logsBloom !== undefined) expect(bytesToHex(bloomOf(all))).toBe(header.logsBloom);
  });

  it.each(named(wholeReceipts))(
    'gives another root if a field of a receipt is another: %s',
    async (_, { header, receipts }) => {
      for (const [i, receipt] of receipts.entries()) {
        for (const other of alterations(receipt)) {
          const list = receipts.with(i, other.receipt);
          expect(await rootOf(list), `${i} ${other.what}`).not.toBe(header.receiptsRoot);
        }
      }
    },
  );

  it('leaves the nonce of a deposit out of the trie if the RPC returns no version', async () => {
    const { header, receipts } = blockNamed('Base 1');
    const [deposit] = receipts;
    expect(deposit?.depositNonce).toBe('0x0');
    expect(await rootOf(receipts)).toBe(header.receiptsRoot);
    for (const version of [null, undefined]) {
      const list = [{ ...deposit, depositReceiptVersion: version }];
      expect(await rootOf(list)).toBe(header.receiptsRoot);
    }
    const versioned = [{ ...deposit, depositReceiptVersion: '0x1' }];
    expect(await rootOf(versioned)).not.toBe(header.receiptsRoot);
  });

  it('appends the base fee to a Celo receipt with a fee currency, if the RPC returns one', () => {
    const [, plain] = blockNamed('Unichain Sepolia 35535698').receipts;
    const celo = { ...plain, type: '0x7b' };
    const fields = (receipt: object) => RLP.decode(encodeReceipt({ ...receipt }).subarray(1));
    expect(fields(celo)).toHaveLength(4);
    expect(fields({ ...celo, baseFee: '0x5d21dba00' })).toHaveLength(5);
    expect(readReceiptLogs(encodeReceipt({ ...celo, baseFee: '0x0' }))).toEqual([]);
  });
});

describe('types of receipts', () => {
  const common = [1, 21_000, new Uint8Array(256), []];
  const typed = (type: number, extra: readonly (number | Uint8Array | readonly [])[] = []) =>
    Uint8Array.from([type, ...RLP.encode([...common, ...extra] as never)]);

  it('reads the known types, with what each may add', () => {
    for (const type of [1, 2, 3, 4, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x7b, 0x7c, 0x7e, 0x7f]) {
      expect(readReceiptLogs(typed(type)), type.toString(16)).toEqual([]);
    }
    expect(readReceiptLogs(typed(0x7b, [7]))).toEqual([]);
    expect(readReceiptLogs(typed(0x7e, [7, 1]))).toEqual([]);
  });

  it('refuses other types, and other numbers of fields', () => {
    for (const type of [0, 5, 0x63, 0x67, 0x6b, 0x71, 0x78, 0x7a, 0x7d, 0xbf]) {
      expect(() => readReceiptLogs(typed(type)), type.toString(16)).toThrow(`type ${type}`);
    }
    for (const [type, extra] of [
      [2, [7]],
      [0x6a, [7]],
      [0x7b, [7, 1]],
      [0x7e, [7]],
      [0x7e, [7, 1, 1]],
      [0x7e, [Uint8Array.of(0), 1]],
      [0x7e, [7, []]],
      [0x7b, [new Uint8Array(33).fill(1)]],
      [0x7f, [7]],
    ] as const) {
      expect(() => readReceiptLogs(typed(type, extra)), type.toString(16)).toThrow('no receipt');
    }
    const legacy = RLP.encode([...common, 7, 1]);
    expect(() => readReceiptLogs(legacy)).toThrow('no receipt');
  });
});

describe('the state sync of Polygon', () => {
  const { header, receipts } = blockNamed('Arbitrum One 150000000');
  const hash = header.hash as Hex;
  const number = BigInt(header.number ?? '');
  // No block with one is small enough to record: this is the rule, applied to another chain's block.
  const derived = { type: '0x0', status: '0x1', cumulativeGasUsed: '0x0', logs: [] };
  const withLast = (transactionHash: Hex) => [
    ...receipts,
    { ...derived, logsBloom: receipts[0]?.logsBloom, transactionHash },
  ];

  it('leaves out a last receipt that the block’s trie does not have', async () => {
    const client = clientOf({ header, receipts: withLast(stateSyncHash({ number, hash })) });
    const block = await readBlock(client, hash);
    expect((await readReceiptsTrie(client, block)).root).toBe(header.receiptsRoot);
  });

  it('leaves out no other receipt', async () => {
    const client = clientOf({ header, receipts: withLast(`0x${'7'.repeat(64)}`) });
    const block = await readBlock(client, hash);
    await expect(readReceiptsTrie(client, block)).rejects.toThrow('have the root');
  });

  it('keeps a last receipt that the trie has, whatever its hash', async () => {
    const transactionHash = stateSyncHash({ number, hash });
    const last = receipts.with(-1, { ...(receipts.at(-1) as RpcReceipt), transactionHash });
    const client = clientOf({ header, receipts: last });
    const block = await readBlock(client, hash);
    expect((await readReceiptsTrie(client, block)).root).toBe(header.receiptsRoot);
  });

  it('hashes prefix, number and hash of the block', () => {
    const key = `0x${Buffer.from('matic-bor-receipt-').toString('hex')}0000000008f0d180${hash.slice(2)}`;
    expect(stateSyncHash({ number, hash })).toBe(keccak256(key as Hex));
  });
});

function blockNamed(name: string) {
  const block = wholeReceipts.find((one) => one.name === name);
  if (block === undefined) throw new Error(`No receipts of ${name}: ${chainBlocks.length} blocks.`);
  return block;
}

function clientOf(answers: { readonly header: object; readonly receipts: readonly object[] }) {
  const request = async ({ method }: { readonly method: string }) =>
    method === 'eth_getBlockByHash' ? { ...answers.header, transactions: [] } : answers.receipts;
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
}

/** The receipt with one field changed, for each field that its trie holds. */
function alterations(receipt: RpcReceipt) {
  const extra =
    receipt.depositReceiptVersion === undefined ? [] : ['depositNonce', 'depositReceiptVersion'];
  const names = ['status', 'cumulativeGasUsed', 'logsBloom', 'type', ...extra];
  const fields = names.map((name) => ({
    what: name,
    receipt: { ...receipt, [name]: name === 'status' ? '0x0' : altered(String(receipt[name])) },
  }));
  const logs = receipt.logs.flatMap((log, i) =>
    [
      { what: `address ${i}`, log: { ...log, address: altered(log.address) as Hex } },
      { what: `data ${i}`, log: { ...log, data: altered(log.data) as Hex } },
      { what: `topics ${i}`, log: { ...log, topics: log.topics.slice(1) } },
    ].map(({ what, log: other }) => ({
      what,
      receipt: { ...receipt, logs: receipt.logs.with(i, other) },
    })),
  );
  return [...fields, ...logs];
}
