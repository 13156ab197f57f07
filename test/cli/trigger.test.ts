import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeRunning } from '../../engine/cli/running.ts';
import { runHere } from '../support/run-cli.ts';

/** A deployment that this process claims to be; nothing listens at its addresses. */
const running = {
  pid: process.pid,
  apiUrl: 'http://127.0.0.1:1',
  startBlock: 0,
  contractAddress: `0x${'c0'.repeat(20)}`,
} as const;

it('refuses to cause events on any chain other than the local one of `npm start`', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-trigger-'));
  const trigger = () => runHere(['trigger', 'sale.recorded'], { DATA_DIR: dataDir });
  const none = await trigger();
  expect(none.code).toBe(3);
  expect(none.stderr).toContain('No deployment runs here');
  for (const [chainId, rpcUrl] of [
    [1, 'http://127.0.0.1:1'],
    // A configured chain has no local RPC, whatever its id is.
    [31_337, undefined],
  ] as const) {
    await writeRunning({ dataDir }, { ...running, chainId, rpcUrl });
    const { code, stderr } = await trigger();
    expect({ chainId, code }).toEqual({ chainId, code: 1 });
    expect(stderr).toContain(`This deployment is on chain ${chainId}`);
  }
  await writeRunning({ dataDir }, { ...running, chainId: 31_337, rpcUrl: 'http://127.0.0.1:1' });
  const other = await trigger();
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('The contract of this deployment is not the one of the sample');
  await rm(dataDir, { recursive: true });
});
