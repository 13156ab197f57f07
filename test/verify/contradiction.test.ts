import { numberToHex, type PublicClient, pad } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { type Verification, verifySale } from '../../engine/verify/index.ts';
import { strangeClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { messageOf, only, requestsOf, statuses } from './results.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;
let url: string;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
  url = scene.chain.anvil.url;
});
afterAll(() => scene?.chain.stop());

describe('an RPC whose chain contradicts itself', () => {
  it.each<[string, string, (answer: object) => object, RegExp]>([
    [
      'the transaction reverted',
      'eth_getTransactionReceipt',
      (receipt) => ({ ...receipt, status: '0x0' }),
      /reverted/,
    ],
    [
      'the receipt has no such log',
      'eth_getTransactionReceipt',
      (receipt) => ({ ...receipt, logs: [] }),
      /does not hold the sale’s log/,
    ],
    [
      'the receipt names another block',
      'eth_getTransactionReceipt',
      (receipt) => ({ ...receipt, blockHash: pad('0x1') }),
      /receipt names block/,
    ],
  ])('fails its transaction: %s', async (_, method, change, message) => {
    const client = strangeClient(url, async (question, pass) => {
      const answer = await pass();
      return question.method === method ? change(Object(answer)) : answer;
    });
    const result = await verify(client, sales.direct);
    expect(statuses(result)).toEqual(only({ transaction: 'fail' }));
    expect(messageOf(result, 'transaction')).toMatch(message);
  });

  it('fails the transaction check if a reorg replaces the block meanwhile', async () => {
    const { blockNumber } = receiptFor(sales.fiveLevel).record;
    const height = numberToHex(BigInt(blockNumber));
    const client = strangeClient(url, async ({ method, params }, pass) => {
      const answer = await pass();
      if (method !== 'eth_getBlockByNumber' || params[0] !== height) return answer;
      return { ...Object(answer), hash: pad('0x2') };
    });
    const result = await verify(client, sales.fiveLevel);
    expect(result.verdict).toBe('fail');
    expect(messageOf(result, 'transaction')).toContain(`but the chain has ${pad('0x2')} at height`);
  });

  it('fails the split check if the ledger would have allowed another pool', async () => {
    const client = strangeClient(url, async ({ method }, pass) => {
      const answer = await pass();
      const isLedger = method === 'eth_call' && String(answer).length === 2 + 11 * 64;
      return isLedger ? moreVested(String(answer)) : answer;
    });
    const result = await verify(client, sales.liabilityCapped);
    expect(statuses(result)).toEqual(only({ split: 'fail' }));
    expect(messageOf(result, 'split')).toMatch(
      /^The chain recorded a pool of 50000 base units; it recomputes to 40000\. The chain recorded/,
    );
  });

  it.each<[string, (log: RawLog, good: ReceiptFields) => RawLog | null, RegExp]>([
    [
      'another hash is registered',
      (log, good) => swap(log, good.policy.policyHash.slice(2), word(7n)),
      /^The policy’s policyHash is 0x[0-9a-f]{64}, but 0x0+7 is registered\./,
    ],
    [
      'the lists hash to something else',
      (log, good) => swap(log, good.policy.eligibilityHash.slice(2), word(7n)),
      /^The policy’s eligibilityHash is 0x/,
    ],
    [
      'the version took effect later',
      (log, good) => swap(log, seconds(good.policy.effectiveAt), word(4_000_000_000n)),
      /^The sale used policy version 2, but 1 was in effect\./,
    ],
    [
      'the policy had expired',
      (log, good) => swap(log, seconds(good.policy.expiry), word(1_000_000_000n)),
      /expired at 2001-09-09T01:46:40.000Z, before the sale\./,
    ],
    [
      'the version was never scheduled',
      () => null,
      /^The sale names policy version 2, which the chain has not scheduled before it\.$/,
    ],
  ])('fails its policy where %s', async (_, change, message) => {
    const good = receiptFor(sales.secondPolicy);
    const isVersion = (log: RawLog) => log.data.startsWith(`0x${word(2n)}`);
    const client = withLogs('PolicyScheduled', (logs) =>
      logs.flatMap((log) => (isVersion(log) ? (change(log, good) ?? []) : [log])),
    );
    const result = await verify(client, sales.secondPolicy);
    expect(statuses(result).policy).toBe('fail');
    expect(messageOf(result, 'policy')).toMatch(message);
    expect(statuses(result)).toMatchObject({ transaction: 'pass', sale: 'pass' });
  });

  it.each<[string, (logs: RawLog[]) => RawLog[]]>([
    ['a node never joined', (logs) => logs.filter((log) => log.topics[2] !== pad('0x3'))],
    [
      'a node joined after the sale',
      (logs) => logs.map((log) => ({ ...log, blockNumber: '0xfffff' })),
    ],
    [
      'a node is of another campaign',
      (logs) => logs.map((log) => ({ ...log, topics: log.topics.with(1, pad('0x63')) })),
    ],
  ])('fails its path, and leaves the split open, where %s', async (_, change) => {
    const result = await verify(withLogs('NodeJoined', change), sales.fiveLevel);
    expect(statuses(result)).toEqual(
      only({ path: 'fail', split: 'unavailable', rewards: 'unavailable' }),
    );
    expect(messageOf(result, 'path')).toMatch(
      /^The chain has no NodeJoined of node \d+ in campaign 1 before the sale\.$/,
    );
  });

  it('fails the state check if the contract returns another state', async () => {
    const client = strangeClient(url, async ({ method }, pass) => {
      const answer = await pass();
      if (method !== 'eth_call') return answer;
      return String(answer).replace(word(1_000_000n), word(1_000_001n));
    });
    const result = await verify(client, sales.direct);
    expect(result.checks.find(({ name }) => name === 'state')).toMatchObject({
      status: 'fail',
      message: 'By its events the sale has amount 1000000, but the contract answers 1000001.',
      evidence: { contractView: 'contradicts' },
    });
  });

  it('ignores a log that does not decode, and so cannot check the sale', async () => {
    const client = strangeClient(url, async ({ method }, pass) => {
      const answer = await pass();
      if (method !== 'eth_getLogs') return answer;
      return (answer as { data: string }[]).map((log) => ({ ...log, data: '0x1234' }));
    });
    const result = await verify(client, sales.direct);
    expect(statuses(result)).toEqual(only({}, 'unavailable'));
  });
});

/** A ledger with 10,000 base units more in its fourth amount, `vestedUnclaimed`. */
function moreVested(ledger: string): string {
  const words = ledger.slice(2).match(/.{64}/g) ?? [];
  const changed = words.map((hex, i) => (i === 3 ? word(BigInt(`0x${hex}`) + 10_000n) : hex));
  return `0x${changed.join('')}`;
}

/** A log as the RPC sends it. */
interface RawLog {
  readonly data: string;
  readonly topics: readonly string[];
}

/** An RPC that changes the logs of an event. */
function withLogs(name: string, change: (logs: RawLog[]) => RawLog[]): PublicClient {
  const isRequested = requestsOf(name);
  return strangeClient(url, async (question, pass) => {
    const answer = await pass();
    return isRequested(question) ? change(answer as RawLog[]) : answer;
  });
}

/** The log with a word of its data changed. */
function swap(log: RawLog, from: string, to: string): RawLog {
  expect(log.data).toContain(from);
  return { ...log, data: log.data.replace(from, to) };
}

function seconds(time: string): string {
  return word(BigInt(Date.parse(time) / 1_000));
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function verify(client: PublicClient, saleId: bigint): Promise<Verification> {
  return verifySale({
    client,
    contractAddress: scene.chain.contract,
    saleId: saleId.toString(),
    served: receiptFor(saleId),
    fromBlock: scene.chain.startBlock,
  });
}
