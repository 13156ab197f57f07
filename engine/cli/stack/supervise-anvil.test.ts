import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { request } from './anvil.ts';
import { StateSaver, stateAtEnd } from './chain-state.ts';
import { freePort } from './free-port.ts';
import { superviseAnvil } from './supervise-anvil.ts';

interface Block {
  readonly header: { readonly number: string };
}

/** Passes requests on to an anvil that takes long to give its state. */
async function slowStates(target: string, ms: number) {
  const server = createServer(async (incoming, response) => {
    const call = (await json(incoming)) as { readonly method: string };
    if (call.method === 'anvil_dumpState') await setTimeout(ms);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(call) });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const stop = async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

describe('superviseAnvil', () => {
  let folder: string;
  let stop: () => Promise<unknown>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-anvil-'));
    stop = async () => {};
  });
  afterEach(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start() {
    const lines: string[] = [];
    const supervised = await superviseAnvil({
      folder,
      genesisTimestamp: 1_700_000_000,
      logFile: join(folder, 'anvil.log'),
      log: (line) => lines.push(line),
    });
    stop = () => supervised.anvil.stop();
    return { ...supervised, lines };
  }

  const headOf = async (url: string) => Number(await request(url, 'eth_blockNumber', []));

  /** Mines a block with a transaction of the first account. */
  async function send(url: string, accounts: readonly string[]): Promise<void> {
    const [from, to] = accounts;
    await request(url, 'eth_sendTransaction', [{ from, to, value: '0x1' }]);
  }

  /** Numbers of transactions of the first account: by its nonce, and by the blocks. */
  async function sentBy(url: string, [account]: readonly string[]) {
    const head = await headOf(url);
    let inBlocks = 0;
    for (let number = 1; number <= head; number += 1) {
      const tag = `0x${number.toString(16)}`;
      inBlocks += Number(await request(url, 'eth_getBlockTransactionCountByNumber', [tag]));
    }
    const nonce = Number(await request(url, 'eth_getTransactionCount', [account, 'latest']));
    return { nonce, inBlocks };
  }

  it('restarts an anvil that was killed under load on its port, with blocks and accounts of one moment', async () => {
    const { url, anvil, lines, save } = await start();
    await save();
    const accounts = (await request(url, 'eth_accounts', [])) as string[];
    const saved = async () =>
      (await stat(join(folder, 'recent.json.gz')).catch(() => undefined))?.mtimeMs ?? 0;
    const writes = new Set<number>();
    // Sends at each block, so that blocks are mined while the state is read. Without a wait, the queue would only grow.
    let sent = 0;
    for (; writes.size < 4; sent += 1) {
      const before = await headOf(url);
      await send(url, accounts);
      await waitFor(async () => (await headOf(url)) > before, { what: 'a block', interval: 1 });
      const at = await saved();
      if (at > 0) writes.add(at);
    }
    await anvil.current()?.kill();
    await waitFor(() => lines.includes('The local chain (anvil) is running again.'), {
      what: 'the chain to run again',
      timeout: 60_000,
    });
    const { nonce, inBlocks } = await sentBy(url, accounts);
    expect(nonce).toBe(inBlocks);
    expect(inBlocks).toBeGreaterThan(sent / 2);
    const head = await headOf(url);
    await send(url, accounts);
    await waitFor(async () => (await headOf(url)) > head, { what: 'the next block' });
    // Writing the state of so many blocks takes long.
    stop = async () => {
      const stopping = anvil.stop();
      await anvil.current()?.kill();
      await stopping;
    };
  });

  it('keeps the chain and the state of old blocks if anvil is killed while it writes its file at the end', async () => {
    const first = await start();
    const accounts = (await request(first.url, 'eth_accounts', [])) as string[];
    for (let number = 1; number <= 3; number += 1) {
      await send(first.url, accounts);
      // A busy node puts two transactions into one block.
      await waitFor(async () => (await headOf(first.url)) === number, { what: `block ${number}` });
    }
    await first.save();
    await first.anvil.stop();
    const whole = (await stat(stateAtEnd(folder))).size;
    await truncate(stateAtEnd(folder), Math.floor(whole / 2));

    const { url } = await start();
    expect(await headOf(url)).toBe(3);
    const nonceAt = async (tag: string) =>
      Number(await request(url, 'eth_getTransactionCount', [accounts[0], tag]));
    expect([await nonceAt('0x1'), await nonceAt('0x3')]).toEqual([1, 3]);
  });

  it('reports one sentence and does not restart if the state was never written', async () => {
    const { anvil } = await start();
    await anvil.current()?.kill();
    expect((await anvil.gaveUp).reason).toContain('The local chain ended before its state');
  });

  it('uses an older file if the newest has accounts of a later block than its last', async () => {
    const first = await start();
    const accounts = (await request(first.url, 'eth_accounts', [])) as string[];
    await send(first.url, accounts);
    await first.save();
    await send(first.url, accounts);
    await waitFor(async () => (await headOf(first.url)) === 2, { what: 'the second block' });
    await first.anvil.stop();
    // As if anvil had mined the second block between writing blocks and accounts.
    const state = JSON.parse(await readFile(stateAtEnd(folder), 'utf8'));
    const [last] = state.blocks.filter(({ header }: Block) => Number(header.number) === 2);
    state.blocks = state.blocks.filter((block: Block) => block !== last);
    state.best_block_number -= 1;
    await writeFile(stateAtEnd(folder), JSON.stringify(state));

    const { url, lines } = await start();
    expect(await sentBy(url, accounts)).toEqual({ nonce: 2, inBlocks: 2 });
    expect(lines[0]).toContain('has accounts of a later block than its last');
  });

  it('uses the file before the newest, and not that of the start, if that has such accounts', async () => {
    const first = await start();
    const accounts = (await request(first.url, 'eth_accounts', [])) as string[];
    await send(first.url, accounts);
    await first.save();
    const recent = join(folder, 'recent.json.gz');
    const read = async () => JSON.parse(gunzipSync(await readFile(recent)).toString('utf8'));
    const savedBlock = async () => (await read().catch(() => ({}))).best_block_number;
    for (const number of [2, 3]) {
      await send(first.url, accounts);
      await waitFor(async () => (await savedBlock()) === number, { what: `block ${number} saved` });
    }
    await first.anvil.stop();
    await truncate(stateAtEnd(folder), 100);
    // As if anvil had given the accounts of the third block before it had mined it.
    const state = await read();
    state.blocks = state.blocks.filter(({ header }: Block) => Number(header.number) !== 3);
    state.best_block_number -= 1;
    await writeFile(recent, gzipSync(JSON.stringify(state)));

    const { url } = await start();
    expect(await sentBy(url, accounts)).toEqual({ nonce: 2, inBlocks: 2 });
  });

  it('saves a block that came between writing everything and following the chain', async () => {
    const { url } = await start();
    const accounts = (await request(url, 'eth_accounts', [])) as string[];
    const saver = new StateSaver(url, folder, () => {});
    await saver.saveAll();
    await send(url, accounts);
    await waitFor(async () => (await headOf(url)) === 1, { what: 'the block' });
    saver.start();
    await saver.stop();
    const recent = gunzipSync(await readFile(join(folder, 'recent.json.gz')));
    expect(JSON.parse(recent.toString('utf8'))).toMatchObject({ best_block_number: 1 });
  });

  it('leaves fewer blocks unsaved than Ponder could not take out again, however slowly anvil gives its state', async () => {
    const { url } = await start();
    const accounts = (await request(url, 'eth_accounts', [])) as string[];
    const slow = await slowStates(url, 1_000);
    const saver = new StateSaver(slow.url, folder, () => {});
    await saver.saveAll();
    saver.start();
    const savedHead = async () => {
      const recent = await readFile(join(folder, 'recent.json.gz')).catch(() => undefined);
      if (recent === undefined) return 0;
      return JSON.parse(gunzipSync(recent).toString('utf8')).best_block_number as number;
    };
    let unsaved = 0;
    for (let sent = 0; sent < 80; sent += 1) {
      await send(url, accounts);
      unsaved = Math.max(unsaved, (await headOf(url)) - (await savedHead()));
      await setTimeout(125);
    }
    await saver.stop();
    await slow.stop();
    expect(unsaved).toBeLessThan(30);
    expect(unsaved).toBeGreaterThan(2);
  });

  it('starts a new chain in a folder where every file is torn', async () => {
    await writeFile(stateAtEnd(folder), '{"best_block_number":');
    await writeFile(join(folder, 'full.json.gz'), 'not zipped');
    const { url, isStored } = await start();
    expect({ isStored, head: await headOf(url) }).toEqual({ isStored: false, head: 0 });
  });
});
