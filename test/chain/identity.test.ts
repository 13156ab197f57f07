import { once } from 'node:events';
import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { announcerProblem } from '../../engine/chain/announcer.ts';
import { chainOf, claimChain, confirmChain, deploymentOf } from '../../engine/cli/connect.ts';
import { embeddedDatabase } from '../../engine/cli/embedded-database.ts';
import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { closePool, openPool, type Pool } from '../../engine/db/connection.ts';
import { DeploymentMismatchError, readDeployment } from '../../engine/db/deployment.ts';
import { setIndexerSchema } from '../../engine/db/heads.ts';
import { migrate } from '../../engine/db/migrate.ts';
import type { ChainEnv } from '../../engine/env.ts';
import { chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  honest,
  type Lie,
  RpcRefusal,
  startTraitRpc,
  type TraitRpc,
} from '../support/rpc-traits/proxy.ts';
import { waitFor } from '../support/wait-for.ts';

let chain: TestChain;
/** Another chain with the same id, and the same contract at the same address. */
let other: TestChain;
let first: TraitRpc;
let second: TraitRpc;
let ofOther: TraitRpc;
let startHash: Hex;

beforeAll(async () => {
  [chain, other] = await Promise.all([
    startTestChain({ genesisTimestamp: 1_700_000_000 }),
    startTestChain({ genesisTimestamp: 1_700_000_007 }),
  ]);
  [first, second, ofOther] = (await Promise.all(
    [chain, chain, other].map(({ anvil }) => startTraitRpc(anvil.url)),
  )) as [TraitRpc, TraitRpc, TraitRpc];
  startHash = (await chain.client.getBlock({ blockNumber: chain.startBlock })).hash;
  expect(other.genesisHash).not.toBe(chain.genesisHash);
});

afterEach(() => {
  for (const rpc of [first, second, ofOther]) {
    rpc.lie = honest;
    rpc.before = () => undefined;
  }
});

afterAll(async () => {
  await Promise.all([first, second, ofOther].map((rpc) => rpc?.stop()));
  await Promise.all([chain?.stop(), other?.stop()]);
});

/** An RPC that does not serve some blocks. */
function without(numbers: readonly bigint[], refuse: () => unknown): Lie {
  const hidden = new Set(numbers.map((number) => `0x${number.toString(16)}`));
  return (result, { method, params: [number] }) =>
    method === 'eth_getBlockByNumber' && hidden.has(String(number)) ? refuse() : result;
}

const pruned = () => {
  throw new RpcRefusal('pruned history unavailable', 4444);
};
const limited = () => {
  throw new RpcRefusal('Too Many Requests', 429);
};
const down = () => Promise.reject(new Error('the RPC is away'));
const envOf = (...rpcs: TraitRpc[]): ChainEnv =>
  chainEnv(
    chain,
    rpcs.map(({ url }) => url),
  );

/** Records the newest block of the chain as settled and final. */
async function finalizeNewest(pool: Pool): Promise<void> {
  const { number, hash, timestamp } = await chain.client.getBlock();
  await setIndexerSchema(pool, 'indexer_test');
  await pool`
    update ledger.head set settled_number = ${String(number)}, settled_hash = ${hash},
      settled_timestamp = ${String(timestamp)}, finalized_number = ${String(number)}, finalized_hash = ${hash}`;
}

describe('the chain at a start', () => {
  it('names the chain by its first block', async () => {
    expect((await deploymentOf(envOf(first))).genesisHash).toBe(chain.genesisHash);
  });

  it.each([
    ['error 4444', pruned],
    ['null', () => null],
  ])('names the chain by the start block if the first is pruned (%s)', async (_, refuse) => {
    first.lie = without([0n], refuse);
    expect((await deploymentOf(envOf(first))).genesisHash).toBe(startHash);
  });

  it('refuses an RPC that serves neither block', async () => {
    first.lie = without([0n, chain.startBlock], pruned);
    await expect(deploymentOf(envOf(first))).rejects.toThrow(
      `RPC_URL returns neither the first block of the chain nor block ${chain.startBlock} (START_BLOCK), so that nothing shows which chain it is`,
    );
  });

  it('takes no refused first block for a pruned one', async () => {
    first.lie = without([0n], limited);
    await expect(deploymentOf(envOf(first))).rejects.toThrow(
      'RPC_URL does not return the first block of the chain, because it limits how much it is asked (code 429): is the address right?',
    );
  });
});

describe('the embedded database of a chain', () => {
  it('survives that the RPC prunes the block by which it was recorded', async () => {
    const server = inject('serverUrl');
    const url = await embeddedDatabase(server, envOf(first));
    const pool = openPool(url, { max: 1 });
    try {
      await migrate(pool);
      await claimChain(pool, envOf(first));
      await finalizeNewest(pool);
      first.lie = without([0n], pruned);
      expect(await embeddedDatabase(server, envOf(first))).toBe(url);
      ofOther.lie = without([0n], pruned);
      const another = await embeddedDatabase(server, envOf(ofOther));
      expect(another).not.toBe(url);
      await dropDatabase(server, new URL(another).pathname.slice(1));
    } finally {
      await closePool(pool);
      await dropDatabase(server, new URL(url).pathname.slice(1));
    }
  });
});

describe('one of several RPCs', () => {
  it('lets an RPC of the chain take over, whichever of the two has pruned its history', async () => {
    for (const [one, two] of [
      [first, second],
      [second, first],
    ] as const) {
      one.lie = without([0n], pruned);
      const asked = chainOf(envOf(first, second));
      await asked.head();
      first.before = down;
      expect((await asked.blockAt(1))?.number).toBe(1);
      expect(asked.leftOut?.()).toEqual([]);
      for (const rpc of [one, two]) {
        rpc.lie = honest;
        rpc.before = () => undefined;
      }
    }
  });

  it.each([
    ['no block', []],
    ['the first block', [0n]],
  ])(
    'leaves out an RPC that is of another chain with that id and has pruned %s',
    async (_, hidden) => {
      first.lie = without([0n], pruned);
      ofOther.lie = without(hidden, pruned);
      const asked = chainOf(envOf(first, ofOther));
      await asked.head();
      first.before = down;
      await expect(asked.head()).rejects.toThrow();
      expect(asked.leftOut?.()).toEqual([
        expect.stringMatching(
          /^RPC 2 of RPC_URL is left out. The RPC is of another chain with the id 31337: its block \d+ is 0x/,
        ),
      ]);
    },
  );

  it.each([
    ['first', () => chain.genesisHash, []],
    ['start', () => startHash, []],
    ['start, with the first pruned', () => startHash, [0n]],
  ])(
    'believes the record of the ledger (%s block), and not the RPC that answers first',
    async (_, recorded, hidden) => {
      first.lie = without(hidden, pruned);
      const asked = chainOf({ ...envOf(first, ofOther), genesisHash: recorded() as Hex });
      first.before = down;
      await expect(asked.head()).rejects.toThrow();
      expect(asked.leftOut?.()).toEqual([
        expect.stringMatching(/^RPC 2 of RPC_URL is left out. The RPC is of another chain with/),
      ]);
      first.before = () => undefined;
      expect((await asked.blockAt(1))?.number).toBe(1);
      expect(asked.leftOut?.()).toHaveLength(1);
    },
  );

  it('outweighs by the record of the ledger what a pruned RPC of another chain said first', async () => {
    const recorded = { ...envOf(ofOther, first), genesisHash: chain.genesisHash as Hex };
    ofOther.lie = without([0n], pruned);
    const asked = chainOf(recorded);
    await asked.head();
    ofOther.before = down;
    expect((await asked.blockAt(1))?.hash).toBe(startHash);
    ofOther.before = () => undefined;
    // The other one is compared again before the next request, because it was away.
    expect((await asked.blockAt(1))?.hash).toBe(startHash);
    expect(asked.leftOut?.()).toEqual([expect.stringContaining('RPC 1 of RPC_URL is left out.')]);
  });

  it('knows a chain that was recorded by an earlier START_BLOCK', async () => {
    const head = await chain.client.getBlock();
    const rpc = { ...envOf(first, ofOther), genesisHash: head.hash };
    const asked = chainOf(rpc);
    await asked.head();
    first.before = down;
    await expect(asked.head()).rejects.toThrow();
    expect(asked.leftOut?.()).toHaveLength(1);
  });

  it('leaves out an RPC that serves no block which shows of which chain it is', async () => {
    second.lie = without([0n, chain.startBlock], pruned);
    const asked = chainOf(envOf(first, second));
    await asked.head();
    first.before = down;
    await expect(asked.head()).rejects.toThrow();
    expect(asked.leftOut?.()).toEqual([
      expect.stringContaining(
        `serves neither the first block of its chain nor block ${chain.startBlock} (START_BLOCK)`,
      ),
    ]);
  });

  it('asks an RPC nothing while it refuses to say of which chain it is, and does not call it wrong', async () => {
    const asked = chainOf(envOf(first, ofOther));
    await asked.head();
    first.before = down;
    ofOther.lie = without([0n], limited);
    (ofOther.calls as unknown[]).length = 0;
    await expect(asked.head()).rejects.toThrow();
    expect(ofOther.calls.map(({ params: [block] }) => block)).not.toContain('latest');
    expect(asked.leftOut?.()).toEqual([]);
  });

  it('compares an RPC that is left out again after a minute, although the other one answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    ofOther.lie = (result, { method }) => (method === 'eth_chainId' ? '0x1' : result);
    const asked = chainOf(envOf(first, ofOther));
    await asked.head();
    first.before = down;
    await expect(asked.head()).rejects.toThrow();
    first.before = () => undefined;
    await asked.head();
    const sentence = 'RPC 2 of RPC_URL is left out. The RPC is of chain 1, not of chain 31337.';
    expect(asked.leftOut?.()).toEqual([sentence]);
    // From now on the right chain is behind the address.
    ofOther.lie = async (_, call) => await chain.client.request(call as never);
    expect(asked.leftOut?.()).toEqual([sentence]);
    vi.setSystemTime(Date.now() + 61_000);
    await waitFor(() => asked.leftOut?.().length === 0, { what: 'the RPC to be compared again' });
    vi.useRealTimers();
  });

  it('compares an RPC again before each fall-back, although it never failed itself', async () => {
    const asked = chainOf(envOf(first, second));
    first.before = down;
    await asked.head();
    first.before = () => undefined;
    await asked.head();
    // Meanwhile another chain is behind the second address.
    second.lie = async (_, call) => await other.client.request(call as never);
    first.before = down;
    await expect(asked.head()).rejects.toThrow();
    expect(asked.leftOut?.()).toHaveLength(1);
  });

  it('compares an RPC once, and not for each request', async () => {
    const asked = chainOf(envOf(first, second));
    (first.calls as unknown[]).length = 0;
    for (let i = 0; i < 3; i += 1) await asked.blockAt(1);
    expect(first.calls.filter(({ method }) => method === 'eth_chainId')).toHaveLength(1);
  });
});

describe('the WebSocket RPC that announces blocks', () => {
  const socketOf = ({ anvil }: TestChain) => anvil.url.replace('http:', 'ws:');
  let babbler: WebSocketServer;

  beforeAll(async () => {
    babbler = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    babbler.on('connection', (socket) => {
      socket.on('message', () => {
        const answers = [1, 2, 3].map((id) => JSON.stringify({ id }));
        for (const text of ['no JSON', 'null', '[]', ...answers]) socket.send(text);
      });
    });
    await once(babbler, 'listening');
  });
  afterAll(() => babbler?.close());

  it('announces blocks if it is of the chain', async () => {
    for (const genesisHash of [undefined, chain.genesisHash as Hex]) {
      const problem = await announcerProblem(socketOf(chain), { ...envOf(first), genesisHash });
      expect(problem).toBeUndefined();
    }
  });

  it.each([
    ['is of another chain with that id', () => socketOf(other), 'of another chain with the id'],
    ['does not respond', () => 'ws://127.0.0.1:1', 'It does not say of which chain it is'],
    [
      'answers no JSON',
      () => `ws://127.0.0.1:${Object(babbler.address()).port}`,
      'It does not say of which chain it is',
    ],
  ])('announces none if it %s', async (_, url, why) => {
    const recorded = { ...envOf(first), genesisHash: chain.genesisHash as Hex };
    const problem = await announcerProblem(url(), recorded);
    expect(problem).toMatch(/^RPC_WS_URL is left out, so that the indexer polls for new blocks/);
    expect(problem).toContain(why);
    expect(problem).not.toContain('ws:');
  });
});

describe('the chain that a database is of', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it('records the chain at the first start, and compares it at later ones', async () => {
    const found = await claimChain(pool, envOf(first));
    expect(found.genesisHash).toBe(chain.genesisHash);
    expect((await readDeployment(pool))?.genesisHash).toBe(chain.genesisHash);
    await confirmChain(pool, envOf(first));
    const wrong = envOf(ofOther);
    await expect(claimChain(pool, wrong)).rejects.toBeInstanceOf(DeploymentMismatchError);
    await expect(confirmChain(pool, wrong)).rejects.toBeInstanceOf(DeploymentMismatchError);
  });

  it('refuses an RPC that has pruned its history before anything is final', async () => {
    first.lie = without([0n], pruned);
    await expect(claimChain(pool, envOf(first))).rejects.toBeInstanceOf(DeploymentMismatchError);
  });

  it('compares the newest final block if the RPC has pruned its history', async () => {
    await finalizeNewest(pool);
    first.lie = without([0n], pruned);
    expect((await claimChain(pool, envOf(first))).genesisHash).toBe(chain.genesisHash);
    await confirmChain(pool, envOf(first));
    ofOther.lie = without([0n], pruned);
    await expect(claimChain(pool, envOf(ofOther))).rejects.toBeInstanceOf(DeploymentMismatchError);
    first.lie = without([0n], limited);
    await expect(claimChain(pool, envOf(first))).rejects.toThrow(
      'limits how much it is asked (code 429)',
    );
    // A program that only reads the ledger starts without the RPC.
    await confirmChain(pool, envOf(first));
  });

  it('accepts an RPC that serves the first block if the chain was recorded by another one', async () => {
    await pool`update ledger.deployment set genesis_hash = ${startHash}`;
    await pool`update ledger.head set finalized_number = null, finalized_hash = null`;
    expect((await claimChain(pool, envOf(first))).genesisHash).toBe(startHash);
    await expect(claimChain(pool, envOf(ofOther))).rejects.toBeInstanceOf(DeploymentMismatchError);
  });
});
