import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { type BuiltImage, buildImage } from '../deploy/dockerfile.ts';
import { SeparateParts } from '../deploy/separate-parts.ts';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Not root: the test of the read-only image as another user is skipped.');

/** Milliseconds within which a part must respond. */
const SOON_MS = 60_000;

describe.skipIf(!isRoot)('the image of deploy/Dockerfile, read-only and as its user', () => {
  let root: string;
  let image: BuiltImage;
  let parts: SeparateParts;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tributary-image-'));
    await chmod(root, 0o755);
    image = await buildImage(join(projectRoot, 'deploy', 'Dockerfile'), projectRoot, root);
    await readOnly(image.app);
    const { uid, env } = image;
    parts = await SeparateParts.open({ root: image.app, uid }, { ...env, HOST: '127.0.0.1' });
  }, 1_200_000);
  afterAll(async () => {
    await parts?.close();
    await rm(root, { recursive: true, force: true });
  });

  it('runs all parts, and writes nothing to its own folder', async () => {
    const before = filesIn(image.app);
    await parts.migrate();
    const [api, worker] = await Promise.all([parts.start('api'), parts.start('worker')]);
    const indexer = await parts.start('indexer');
    await api.until('/health', 200, SOON_MS);
    await worker.until('/ready', 200, SOON_MS);
    await indexer.until('/ready', 200);
    await parts.settled(api);
    // The site is part of the image.
    expect(await (await fetch(`${api.apiUrl}/`)).text()).toContain('<div id="root">');
    for (const part of [api, worker, indexer]) {
      expect(healthcheck(image, part.url)).toBe(0);
    }
    await parts.stopAll();
    expect(healthcheck(image, indexer.url)).toBe(1);
    expect(filesIn(image.app)).toEqual(before);
    // What they write to is named in the kit: the data folder, and temporary files.
    expect(await readdir(join(image.app, 'node_modules', '.cache', 'tributary'))).toHaveLength(2);
  }, 300_000);
});

/** Takes all rights to write from everything in a folder. */
async function readOnly(folder: string): Promise<void> {
  const { status } = spawnSync('chmod', ['-R', 'a-w,a+rX', folder]);
  expect(status).toBe(0);
}

/** Path and size of each file. */
function filesIn(folder: string): string[] {
  const { stdout } = spawnSync('find', [folder, '-type', 'f', '-printf', '%P %s\\n'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').sort();
}

/** Runs the HEALTHCHECK of the image for a running part. @returns its exit code. */
function healthcheck({ healthcheck: [, file = ''], uid, env }: BuiltImage, url: string) {
  const { port } = new URL(url);
  return spawnSync(process.execPath, [file], {
    ...{ uid, gid: uid },
    env: { ...env, METRICS_PORT: port },
  }).status;
}
