import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, hexToBytes } from 'viem';
import { describe, expect, it } from 'vitest';
import { readHeader } from '../../../engine/verify/bundle/header.ts';
import { encodeHeader, encodeReceipt } from '../../../engine/verify/bundle/make/rlp-of-rpc.ts';
import {
  ReceiptError,
  readReceiptLogs,
} from '../../../engine/verify/bundle/transaction-receipt.ts';
import { wholeHeaders, wholeReceipts } from '../../support/other-chains.ts';
import { type Encoding, pythonIsInstalled, secondReadings } from './second-verifier.ts';

function firstReading({ kind, encoded }: Encoding): unknown {
  if (kind === 'header') {
    const header = readHeader(encoded);
    if (header === undefined) return null;
    const { hash, parentHash, receiptsRoot, number, timestamp } = header;
    return [hash, parentHash, receiptsRoot, Number(number), timestamp];
  }
  try {
    const logs = readReceiptLogs(hexToBytes(encoded));
    return logs.map(({ address, topics, data }) => [address, topics, data]);
  } catch (error) {
    if (error instanceof ReceiptError) return null;
    throw error;
  }
}

/** Asks both verifiers, and expects the same. */
function agreed(encodings: readonly Encoding[]): readonly unknown[] {
  const first = encodings.map(firstReading);
  expect(secondReadings(encodings)).toEqual(first);
  return first;
}

const receipt = (bytes: Uint8Array): Encoding => ({ kind: 'receipt', encoded: bytesToHex(bytes) });

describe.skipIf(!pythonIsInstalled)('the second verifier on other chains', () => {
  it('reads the same headers', () => {
    const readings = agreed(
      wholeHeaders.map(({ header }) => ({
        kind: 'header',
        encoded: bytesToHex(encodeHeader(header)),
      })),
    );
    expect(readings.map((one) => (one as unknown[])[0])).toEqual(
      wholeHeaders.map(({ header }) => header.hash),
    );
  });

  it('reads the same receipts', () => {
    const list = wholeReceipts.flatMap(({ receipts }) => receipts);
    const readings = agreed(list.map((one) => receipt(encodeReceipt(one))));
    expect(readings.map((logs) => (logs as unknown[]).length)).toEqual(
      list.map(({ logs }) => logs.length),
    );
  });

  it('knows the same types, with the same numbers of fields after the logs', () => {
    const common = [1, 21_000, new Uint8Array(256), []];
    const extras = [[], [7], [7, 1], [7, 1, 1], [Uint8Array.of(0)], [[]], [7, Uint8Array.of(0, 1)]];
    const bodies = extras.map((extra) => RLP.encode([...common, ...extra] as never));
    const types = Array.from({ length: 0xc0 }, (_, type) => type);
    const typed = types.flatMap((type) =>
      bodies.map((body) => receipt(Uint8Array.from([type, ...body]))),
    );
    const readings = agreed([...typed, ...bodies.map(receipt)]);
    const plain = 14;
    const [ofCelo, ofDeposits, legacy] = [1, 1, 1];
    expect(readings.filter((one) => one !== null)).toHaveLength(
      plain + ofCelo + ofDeposits + legacy,
    );
  });
});
