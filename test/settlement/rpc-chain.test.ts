import { setTimeout as sleep } from 'node:timers/promises';
import { TimeoutError } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LogLocation, ProvenBlock } from '../../engine/chain/chain.ts';
import { isUnanswered } from '../../engine/chain/errors.ts';
import { RpcDisagreementError } from '../../engine/chain/quorum.ts';
import { chainOf } from '../../engine/cli/connect.ts';
import type { Anvil } from '../../engine/cli/stack/anvil.ts';
import { chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { honest, RpcRefusal, startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { Traffic } from '../support/traffic.ts';

let chain: TestChain<Anvil>;
let rpcs: TraitRpc[];
let head: number;
let logs: readonly LogLocation[];

beforeAll(async () => {
  chain = await startTestChain();
  await (await Traffic.start(chain, 5)).play(25);
  rpcs = await Promise.all([1, 2, 3].map(() => startTraitRpc(chain.anvil.url)));
  head = Number(await chain.client.getBlockNumber());
  ({ logs } = await chainOf(chainEnv(chain)).logsOf(0, head));
});

afterEach(() => {
  for (const rpc of rpcs) {
    rpc.lie = honest;
    (rpc.calls as unknown[]).length = 0;
  }
});

afterAll(async () => {
  await Promise.all(rpcs.map((rpc) => rpc.stop()));
  await chain.stop();
});

function rpc(index: number): TraitRpc {
  const found = rpcs[index];
  if (found === undefined) throw new Error(`there is no RPC ${index}`);
  return found;
}

/** The chain over the first `count` RPCs, of which `rpcQuorum` must agree. */
function over(count: number, rpcQuorum = 1) {
  const urls = rpcs.slice(0, count).map(({ url }) => url);
  return chainOf({ ...chainEnv(chain, urls), rpcQuorum });
}

/** The answer of an RPC, or another value if it took too long. */
async function unlessLate<T>(answer: Promise<T>, late: T): Promise<T> {
  return await answer.catch((error: unknown) => {
    if (error instanceof TimeoutError) return late;
    throw error;
  });
}

describe('blocks proven by headers and receipts', () => {
  it('returns the logs that eth_getLogs returns, in blocks that follow from each other', async () => {
    const blocks = await over(1).provenBlocks(1, head);
    expect(blocks.flatMap((block) => block.logs)).toEqual(logs);
    expect(logs.length).toBeGreaterThan(25);
    for (const [i, block] of blocks.slice(1).entries()) {
      expect(block.parentHash).toBe(blocks[i]?.hash);
    }
    expect(rpc(0).calls.map(({ method }) => method)).not.toContain('eth_getLogs');
  });

  it('reads the logs of the newest block without requesting its header again', async () => {
    const newest = await over(1).head();
    const requested = rpc(0).calls.length;
    expect(await newest.readLogs?.()).toEqual(logs.filter((log) => log.blockNumber === head));
    expect(
      rpc(0)
        .calls.slice(requested)
        .map(({ method }) => method),
    ).not.toContain('eth_getBlockByNumber');
    expect((await over(2, 2).head()).readLogs).toBeUndefined();
  });

  it('requests no receipts if the bloom proves that there are no logs', async () => {
    await chain.client.mine({ blocks: 3 });
    const proven = await over(1).provenBlocks(head + 1, head + 9);
    expect(proven.map(({ number, logs: found }) => ({ number, found }))).toEqual(
      [1, 2, 3].map((i) => ({ number: head + i, found: [] })),
    );
    expect(rpc(0).calls.map(({ method }) => method)).not.toContain('eth_getBlockReceipts');
  });

  it('requests parts that shrink until their response is not too large', async () => {
    const late = logs.filter(({ blockNumber }) => blockNumber > head - 16);
    const full = new Set(late.map(({ blockNumber }) => blockNumber)).size;
    // All of them together are too long, half of them are not.
    const padding = ' '.repeat(Math.ceil(80_000_000 / full));
    let requests = 0;
    rpc(0).lie = (result, { method }) => {
      if (method !== 'eth_getBlockReceipts' || !Array.isArray(result)) return result;
      requests += 1;
      return [{ ...result[0], padding }, ...result.slice(1)];
    };
    const one = over(1);
    const blocks: ProvenBlock[] = [];
    // A busy machine can take too long for a part: the next request asks for half of it.
    for (let tries = 0; blocks.length < 16 && tries < 8; tries += 1) {
      const from = head - 15 + blocks.length;
      blocks.push(...(await unlessLate(one.provenBlocks(from, head), [])));
    }
    expect(blocks.map(({ number }) => number)).toEqual(
      Array.from({ length: 16 }, (_, i) => head - 15 + i),
    );
    expect(blocks.flatMap((block) => block.logs)).toEqual(late);
    expect(requests).toBeGreaterThan(full);
  });

  it('falls back to the receipts of single transactions if an RPC has no others', async () => {
    rpc(0).lie = (result, { method }) => {
      if (method === 'eth_getBlockReceipts') throw new RpcRefusal('method not found', -32_601);
      return result;
    };
    const blocks = await over(1).provenBlocks(1, head);
    expect(blocks.flatMap((block) => block.logs)).toEqual(logs);
  });

  it('rejects a block whose receipts are those of another block', async () => {
    rpc(0).lie = (result, { method }) =>
      method === 'eth_getBlockReceipts' && Array.isArray(result)
        ? result.map((one) => ({ ...one, blockHash: `0x${'11'.repeat(32)}` }))
        : result;
    await expect(over(1).provenBlocks(1, head)).rejects.toThrow('receipts of another block');
  });

  it.each([
    { what: 'no receipts', change: () => [] },
    { what: 'one receipt too few', change: (receipts: object[]) => receipts.slice(1) },
    {
      what: 'a receipt of a system transaction, which is in no list of transactions',
      change: (receipts: object[]) => [
        ...receipts,
        { ...receipts[0], transactionHash: `0x${'5e'.repeat(32)}`, logs: [] },
      ],
    },
  ])('reads all logs of a block of which the RPC returns $what', async ({ change }) => {
    rpc(0).lie = (result, { method }) =>
      method === 'eth_getBlockReceipts' && Array.isArray(result) ? change(result) : result;
    const blocks = await over(1).provenBlocks(1, head);
    expect(blocks.flatMap((block) => block.logs)).toEqual(logs);
  });

  it('accepts a system transaction that has no receipt, and no event of the contract', async () => {
    const system = `0x${'5e'.repeat(32)}`;
    rpc(0).lie = (result, { method }) =>
      method === 'eth_getBlockByNumber'
        ? { ...Object(result), transactions: [...Object(result).transactions, system] }
        : result;
    const blocks = await over(1).provenBlocks(1, head);
    expect(blocks.flatMap((block) => block.logs)).toEqual(logs);
  });

  it('names the transaction of the contract whose receipt the RPC does not have', async () => {
    const [first] = logs;
    if (first === undefined) throw new Error('The chain has logs.');
    const { transactionHash: lost, blockNumber } = first;
    rpc(0).lie = (result, { method, params }) => {
      if (method === 'eth_getTransactionReceipt' && params[0] === lost) return null;
      if (method !== 'eth_getBlockReceipts' || !Array.isArray(result)) return result;
      return result.filter(({ transactionHash }) => transactionHash !== lost);
    };
    await expect(over(1).provenBlocks(blockNumber, head)).rejects.toThrow(
      `no receipt of transaction ${lost}`,
    );
  });

  it('reads the receipts of a block that has transactions and a bloom of zeros', async () => {
    rpc(0).lie = (result, { method }) =>
      method === 'eth_getBlockByNumber'
        ? { ...Object(result), logsBloom: `0x${'0'.repeat(512)}` }
        : result;
    const blocks = await over(1).provenBlocks(1, head);
    expect(blocks.flatMap((block) => block.logs)).toEqual(logs);
  });
});

describe('the root of the contract’s storage', () => {
  const hashAt = async (number: number) => {
    const block = await over(1).blockAt(number);
    if (block === null) throw new Error(`the chain has no block ${number}`);
    return block.hash;
  };
  const roots = async (of: ReturnType<typeof over>, numbers: readonly number[]) => {
    const hashes = await Promise.all(numbers.map(hashAt));
    return await Promise.all(hashes.map((hash) => of.storageRoot?.(hash)));
  };

  it('stays the same if nothing happened between two blocks, and is requested once for each', async () => {
    await chain.client.mine({ blocks: 2 });
    const newest = Number(await chain.client.getBlockNumber());
    const numbers = [1, head, newest - 1, newest, newest];
    const one = over(1);
    const first = await roots(one, numbers);
    expect(new Set(first).size).toBe(2);
    expect(first[0]).not.toBe(first[1]);
    const asked = () => rpc(0).calls.filter(({ method }) => method === 'eth_getProof');
    // Those that were sent together did not know of each other.
    expect(asked()).toHaveLength(numbers.length);
    expect(asked()[0]?.params[2]).toEqual({ blockHash: await hashAt(1) });
    expect(await roots(one, numbers)).toEqual(first);
    expect(asked()).toHaveLength(numbers.length);
  });

  it('forgets the oldest when four newer ones are known', async () => {
    const one = over(1);
    const asked = () => rpc(0).calls.filter(({ method }) => method === 'eth_getProof').length;
    for (const number of [1, 2, 3, 4, 5]) await roots(one, [number]);
    await roots(one, [2, 3, 4, 5]);
    expect(asked()).toBe(5);
    await roots(one, [1]);
    expect(asked()).toBe(6);
  });

  it('counts as not known if the RPC has no such method, and is not asked for again soon', async () => {
    rpc(0).lie = (result, { method }) => {
      if (method === 'eth_getProof') throw new RpcRefusal('the method does not exist', -32_601);
      return result;
    };
    const one = over(1);
    expect(await roots(one, [head])).toEqual([null]);
    expect(await roots(one, [head])).toEqual([null]);
    expect(rpc(0).calls.filter(({ method }) => method === 'eth_getProof')).toHaveLength(1);
  });

  it('fails once if the RPC limits requests, as each block by its header would take more, and then is not known', async () => {
    rpc(0).lie = (result, { method }) => {
      if (method === 'eth_getProof') throw new RpcRefusal('request rate limited', -32_005);
      return result;
    };
    const one = over(1);
    await expect(roots(one, [head])).rejects.toThrow();
    // Some RPCs limit this method alone, for ever.
    expect(await roots(one, [head])).toEqual([null]);
  });

  it('counts as not known if RPCs disagree, and is not read if every header is checked', async () => {
    rpc(1).lie = (result, { method }) =>
      method === 'eth_getProof' ? { ...Object(result), storageHash: '0x01' } : result;
    expect(await roots(over(2, 2), [head])).toEqual([null]);
    const all = chainOf({ ...chainEnv(chain, [rpc(0).url]), checkBlooms: 'all' });
    expect(all.storageRoot).toBeUndefined();
  });
});

/** The chain as one that is not local, whose tags count. */
function elsewhere() {
  return chainOf({ ...chainEnv(chain, [rpc(0).url]), chainId: 8_453 });
}

describe('the tags of a chain', () => {
  const refuse = (code: number, message: string) => {
    rpc(0).lie = (result, { method, params }) => {
      if (method !== 'eth_getBlockByNumber' || !['safe', 'finalized'].includes(String(params[0]))) {
        return result;
      }
      throw new RpcRefusal(message, code);
    };
  };

  it.each([
    [-32_005, 'daily request count exceeded, request rate limited'],
    [-32_007, '50/second request limit reached'],
    [-32_000, 'too many requests'],
    [-32_602, 'rate limit exceeded'],
    [-32_603, 'internal error'],
    [429, 'Your app has exceeded its compute units per second capacity'],
    [-32_000, 'we are overloaded'],
    [-32_001, 'Unauthorized'],
  ])('fail as not known if the RPC answers %i "%s"', async (code, message) => {
    refuse(code, message);
    await expect(elsewhere().finality()).rejects.toThrow();
  });

  it.each([
    [-39_001, 'unknown block'],
    [-32_000, 'finalized block not found'],
    [-32_602, 'invalid argument 0: hex string without 0x prefix'],
    [-32_601, 'the method is not supported'],
    [-32_000, 'Unknown block'],
    [-32_000, 'header not found'],
  ])('returns none if the RPC answers %i "%s"', async (code, message) => {
    refuse(code, message);
    expect(await elsewhere().finality()).toMatchObject({ safe: null, finalized: null });
  });

  it('returns none if the RPC returns no block for them', async () => {
    rpc(0).lie = (result, { method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest' ? null : result;
    expect(await elsewhere().finality()).toMatchObject({ safe: null, finalized: null });
  });
});

describe('finality by depth', () => {
  /** Two RPCs, the first of which is 4 blocks behind: the lowest newest block counts. */
  const behind = (finalityBlocks: number) => {
    const number = `0x${(head - 4).toString(16)}`;
    rpc(0).lie = (result, { method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { ...Object(result), number }
        : result;
    const urls = [rpc(0).url, rpc(1).url];
    return chainOf({ ...chainEnv(chain, urls), rpcQuorum: 2, finalityBlocks });
  };

  it('counts blocks behind the newest that all RPCs have reached, and requests no tags', async () => {
    expect(await behind(3).finality()).toEqual({ safe: head - 7, finalized: head - 7 });
    const tags = [...rpc(0).calls, ...rpc(1).calls].map(({ params }) => params[0]);
    expect(tags).not.toContain('safe');
    expect(tags).not.toContain('finalized');
  });

  it('returns none while the chain has fewer blocks', async () => {
    expect(await behind(head).finality()).toEqual({ safe: null, finalized: null });
  });
});

describe('an RPC of another chain', () => {
  /** The first RPC is away; the second one is asked in its place. */
  async function withoutFirst<T>(read: () => Promise<T>): Promise<T> {
    rpc(0).before = () => Promise.reject(new Error('away'));
    try {
      return await read();
    } finally {
      rpc(0).before = () => {};
    }
  }

  it('takes the place of one that is away only if it is of the same chain', async () => {
    const both = over(2);
    expect(await withoutFirst(() => both.blockAt(1))).toEqual(await over(1).blockAt(1));
  });

  it.each([
    {
      what: 'has another chain id',
      lie: (result: unknown, { method }: { method: string }) =>
        method === 'eth_chainId' ? '0x5' : result,
    },
    {
      what: 'has another first block',
      lie: (result: unknown, { method, params }: { method: string; params: unknown[] }) =>
        method === 'eth_getBlockByNumber' && params[0] === '0x0'
          ? { ...Object(result), hash: `0x${'77'.repeat(32)}` }
          : result,
    },
  ])('gets no request for a block if it $what', async ({ lie }) => {
    rpc(1).lie = lie;
    const both = over(2);
    expect((await both.blockAt(2))?.number).toBe(2);
    await expect(withoutFirst(() => both.blockAt(2))).rejects.toThrow();
    const asked = rpc(1).calls.filter(({ params }) => params[0] === '0x2');
    expect(asked).toEqual([]);
    expect(both.leftOut?.()).toEqual([
      expect.stringMatching(/^RPC 2 of RPC_URL is left out. The RPC is of (another )?chain/),
    ]);
    // It serves again once the right one is back.
    expect((await both.blockAt(2))?.number).toBe(2);
  });

  it('answers no request after it was away until it is compared again', async () => {
    const both = over(2);
    expect((await both.blockAt(2))?.number).toBe(2);
    await withoutFirst(() => both.blockAt(2));
    rpc(0).lie = (result, { method }) => (method === 'eth_chainId' ? '0x5' : result);
    const before = rpc(0).calls.length;
    expect((await both.blockAt(2))?.number).toBe(2);
    const since = rpc(0).calls.slice(before);
    expect(since.map(({ method }) => method)).toContain('eth_chainId');
    expect(since.filter(({ params }) => params[0] === '0x2')).toEqual([]);
  });
});

describe('logs by range', () => {
  it('returns each log once and in order, even if the RPC repeats or shuffles them', async () => {
    rpc(0).lie = (result, { method }) =>
      method === 'eth_getLogs' && Array.isArray(result)
        ? [...result.toReversed(), ...result]
        : result;
    expect(await over(1).logsOf(0, head)).toEqual({ to: head, logs });
  });

  it('requests smaller ranges if the RPC refuses large ones', async () => {
    rpc(0).lie = (result, { method, params }) => {
      if (method !== 'eth_getLogs') return result;
      const [range] = params as [{ fromBlock: string; toBlock: string }];
      if (Number(range.toBlock) - Number(range.fromBlock) < 7) return result;
      throw new RpcRefusal('block range is too wide', -32_602);
    };
    expect(await over(1).logsOf(0, head)).toEqual({ to: head, logs });
  });
});

describe('an RPC that needs time for each log', () => {
  const MS_PER_LOG = 400;

  /** Answers `eth_getLogs` after a time that grows with the number of logs. */
  function slowDown(): { failed: number } {
    const seen = { failed: 0 };
    rpc(0).lie = async (result, { method }) => {
      if (method !== 'eth_getLogs' || !Array.isArray(result)) return result;
      const ms = MS_PER_LOG * result.length;
      if (ms > 5_000) seen.failed += 1;
      await sleep(ms);
      return result;
    };
    return seen;
  }

  it('receives smaller requests, and none of its answers is lost', async () => {
    const seen = slowDown();
    const one = over(1);
    const found: LogLocation[] = [];
    let at = 0;
    for (let ticks = 0; at <= head && ticks < 40; ticks += 1) {
      const range = await unlessLate(one.logsOf(at, head), { to: at - 1, logs: [] });
      found.push(...range.logs);
      at = range.to + 1;
    }
    expect(found).toEqual(logs);
    // The sizes that fail are remembered: 5 halvings of the largest part, and no growth back into them.
    expect(seen.failed).toBeLessThanOrEqual(5);
  }, 60_000);
});

describe('an RPC that accepts connections and does not answer', () => {
  it('fails each request within 5 s, without asking again for a smaller range', async () => {
    let speak = () => {};
    const silence = new Promise<void>((resolve) => {
      speak = resolve;
    });
    // To stop anvil's process takes time on a busy machine: it answers the first requests, and others follow them.
    rpc(0).before = () => silence;
    const silent = over(1);
    try {
      const started = performance.now();
      const requests = [silent.head(), silent.provenBlocks(1, head), silent.logsOf(0, head)];
      const results = await Promise.allSettled(requests);
      expect(performance.now() - started).toBeLessThan(6_500);
      for (const result of results) {
        expect(result.status).toBe('rejected');
        expect(isUnanswered('reason' in result && result.reason)).toBe(true);
      }
      expect(rpc(0).calls.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(1);
    } finally {
      rpc(0).before = () => {};
      speak();
    }
    expect((await silent.head()).number).toBeGreaterThanOrEqual(head);
  });
});

describe('a quorum of RPCs', () => {
  const emptyLogs = (result: unknown, { method }: { method: string }) =>
    method === 'eth_getLogs' ? [] : result;
  // An RPC that has another first block is left out: it is of another chain.
  const asksOtherThanFirst = ({ method, params }: { method: string; params: readonly unknown[] }) =>
    method === 'eth_getBlockByNumber' && params[0] !== '0x0';
  const wrongHash: TraitRpc['lie'] = (result, call) =>
    asksOtherThanFirst(call) ? { ...(result as object), hash: `0x${'22'.repeat(32)}` } : result;

  it('outvotes an RPC that returns nothing, or another hash', async () => {
    rpc(1).lie = emptyLogs;
    expect(await over(3, 2).logsOf(0, head)).toEqual({ to: head, logs });
    rpc(1).lie = wrongHash;
    expect((await over(3, 2).blockAt(head))?.hash).toBe(
      (await chain.client.getBlock({ blockNumber: BigInt(head) })).hash,
    );
  });

  it('fails if too few RPCs agree', async () => {
    rpc(1).lie = emptyLogs;
    await expect(over(2, 2).logsOf(0, head)).rejects.toThrow(RpcDisagreementError);
    rpc(1).lie = wrongHash;
    await expect(over(2, 2).blockAt(head)).rejects.toThrow(
      `2 RPCs gave 2 answers about block ${head}, and 2 must agree`,
    );
    await expect(over(2, 2).provenBlocks(head, head)).rejects.toThrow(Error);
  });

  it('ignores an RPC that is away, and reports no contradiction', async () => {
    rpc(1).lie = () => {
      throw new RpcRefusal('on purpose', -32_000);
    };
    const answer = over(2, 2).logsOf(head, head);
    await expect(answer).rejects.not.toThrow(RpcDisagreementError);
    await expect(over(3, 2).logsOf(0, head)).resolves.toEqual({ to: head, logs });
  });

  it('reports the head and finality that all of its RPCs have reached', async () => {
    const behind = head - 4;
    const { anvil } = chain;
    const answer = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getBlockByNumber',
        params: [`0x${behind.toString(16)}`, false],
      }),
    });
    const { result: old } = (await answer.json()) as { result: object };
    rpc(0).lie = (result, call) => (asksOtherThanFirst(call) ? old : result);
    expect((await over(2, 2).head()).number).toBe(behind);
  });
});
