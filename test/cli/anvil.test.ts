import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startAnvil } from '../../engine/cli/stack/anvil.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-anvil-test-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe('startAnvil', () => {
  it.each(['stop', 'kill'] as const)('leaves no file of old states after %s', async (end) => {
    const anvil = await startAnvil({ logFile: join(folder, 'anvil.log') });
    const [states] = (await readdir(folder)).filter((name) => name.startsWith('tributary-anvil-'));
    expect(await readdir(join(folder, states ?? ''))).not.toEqual([]);
    await anvil[end]();
    expect(await readdir(folder)).toEqual(['anvil.log']);
  });
});
