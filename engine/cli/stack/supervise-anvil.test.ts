import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { request } from './anvil.ts';
import { superviseAnvil } from './supervise-anvil.ts';

describe('superviseAnvil', () => {
  let dir: string;
  let stop: () => Promise<unknown>;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-anvil-'));
    stop = async () => {};
  });
  afterEach(async () => {
    await stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function start(stateIntervalSeconds: number) {
    const lines: string[] = [];
    const statePath = join(dir, 'state.json');
    const { url, anvil } = await superviseAnvil({
      statePath,
      stateIntervalSeconds,
      genesisTimestamp: 1_700_000_000,
      logFile: join(dir, 'anvil.log'),
      log: (line) => lines.push(line),
    });
    stop = () => anvil.stop();
    return { url, anvil, lines, statePath };
  }

  const headOf = async (url: string) => Number(await request(url, 'eth_blockNumber', []));

  it('restarts a killed anvil on its port with the blocks of its last state', async () => {
    const { url, anvil, lines, statePath } = await start(1);
    await request(url, 'anvil_mine', ['0x5']);
    // Anvil does not write the file at one stroke.
    const written = async () => JSON.parse(await readFile(statePath, 'utf8')) !== null;
    await waitFor(written, { what: 'the first state' });
    await rm(statePath);
    await waitFor(written, { what: 'a state that has the blocks' });
    await anvil.current()?.kill();
    await waitFor(() => lines.includes('The local chain (anvil) is running again.'), {
      what: 'the chain to run again',
    });
    expect(await headOf(url)).toBe(5);
  });

  it('reports one sentence and does not restart if the state was never written', async () => {
    const { anvil } = await start(3_600);
    await anvil.current()?.kill();
    expect((await anvil.gaveUp).reason).toContain('The local chain ended before its state');
  });
});
