import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeparateParts } from '../deploy/separate-parts.ts';
import { thisInstallation } from '../support/run-cli.ts';

describe('indexer, worker and API as separate processes', () => {
  let dataDir: string;
  let parts: SeparateParts;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-parts-'));
    parts = await SeparateParts.open(thisInstallation, { DATA_DIR: dataDir });
  });
  afterAll(async () => {
    await parts?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('applies all migrations once', () => parts.migrate(), 120_000);

  it('settles the chain, answers probes and ends on SIGTERM; a restart continues', async () => {
    // In the worst order: the API has nothing to serve yet.
    const api = await parts.start('api');
    await api.until('/health', 200);
    await api.until('/ready', 503);
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    const worker = await parts.start('worker');
    await worker.until('/health', 200);
    await worker.until('/ready', 200);
    const indexer = await parts.start('indexer');
    await indexer.until('/health', 200);
    await indexer.until('/ready', 200);
    await parts.settled(api);
    expect(await (await fetch(`${indexer.url}/metrics`)).text()).toContain('ponder_');
    expect(await (await fetch(`${worker.url}/metrics`)).text()).toContain('tributary_batch_');
    expect((await fetch(`${worker.url}/other`)).status).toBe(404);
    await parts.stopAll();

    await parts.traffic.play(8);
    const restarted = [await parts.start('indexer'), await parts.start('worker')];
    const second = await parts.start('api');
    for (const part of restarted) await part.until('/ready', 200);
    await parts.settled(second);
    await parts.stopAll();
  }, 300_000);

  it('restarts Ponder when it ends, and reports it as unhealthy meanwhile', async () => {
    const indexer = await parts.start('indexer');
    await indexer.until('/ready', 200);
    const ponder = await childOf(indexer.pid, 'run.mjs');
    process.kill(ponder, 'SIGKILL');
    await indexer.until('/health', 503, 10_000);
    await indexer.until('/ready', 200, 90_000);
    expect(await childOf(indexer.pid, 'run.mjs')).not.toBe(ponder);
    expect(indexer.output()).toContain('The indexer is running again.');
    await parts.stopAll();
  }, 180_000);

  it('ends with exit code 3 and a sentence while the RPC is away', async () => {
    const indexer = await parts.start('indexer', { RPC_URL: 'http://127.0.0.1:1' });
    expect((await indexer.stop('SIGCONT')).code).toBe(3);
    expect(indexer.output()).toContain('RPC_URL: 127.0.0.1:1 does not respond');
  }, 60_000);
});

/** Pid of the child whose command line contains a text. */
async function childOf(pid: number, text: string): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const child of children.trim().split(' ')) {
    const line = await readFile(`/proc/${child}/cmdline`, 'utf8');
    if (line.includes(text)) return Number(child);
  }
  throw new Error(`Process ${pid} has no child ${text}.`);
}
