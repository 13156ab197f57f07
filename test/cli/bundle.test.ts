import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../support/run-cli.ts';
import {
  grow,
  open,
  sell,
  startVerifyFixture,
  type VerifyFixture,
} from '../verify/verify-fixture.ts';

const UNKNOWN = `0x${'ab'.repeat(32)}`;

/** Each command is a process of its own. */
const timeout = 240_000;

describe('tributary bundle and verify-bundle', { timeout }, () => {
  let scene: VerifyFixture;
  let dir: string;
  let file: string;
  let saleId: string;
  let rpc: string;
  /** Hashes of all blocks that the bundle depends on, the newest last. */
  let blockHashes: string[];

  beforeAll(async () => {
    scene = await startVerifyFixture();
    const campaignId = await open(scene, {});
    const [, node = 0n] = await grow(scene, campaignId, 2);
    saleId = String(await sell(scene, campaignId, node));
    rpc = scene.chain.anvil.url;
    dir = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
    file = join(dir, 'receipt.json');
    const made = await make('--out', file);
    expect([made.code, made.stderr]).toEqual([0, '']);
    blockHashes = [...made.stdout.matchAll(/(0x[0-9a-f]{64}) {2}block/g)].map(
      ([, hash]) => `${hash}`,
    );
  });
  afterAll(async () => {
    await scene?.chain.stop();
    if (dir) await rm(dir, { recursive: true, force: true });
  });

  const make = (...args: string[]) =>
    runHere(['bundle', '31337', saleId, '--rpc', rpc, '--contract', scene.chain.contract, ...args]);
  const verify = (...args: string[]) => runHere(['verify-bundle', ...args]);
  const contract = () => ['--contract', scene.chain.contract];
  const newest = () => ['--block-hash', blockHashes.at(-1) ?? ''];

  it('writes a file that passes with the hash of its newest block', async () => {
    const { code, stdout, stderr } = await verify(file, ...contract(), ...newest());
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^ {2}pass/gm)).toHaveLength(12);
    expect(stdout).toMatch(/linked {4}0x[0-9a-f]{64} {2}block \d+/);
    expect(stdout.trim().endsWith('pass')).toBe(true);
  });

  it('writes the same bytes to standard output', async () => {
    const { stdout } = await make();
    expect(stdout).toBe(await readFile(file, 'utf8'));
  });

  it('requires every block hash if no headers link the blocks', async () => {
    const bare = join(dir, 'bare.json');
    expect((await make('--link-headers', '0', '--out', bare)).code).toBe(0);
    const hashes = blockHashes.flatMap((hash) => ['--block-hash', hash]);
    const [one, all] = await Promise.all([
      verify(bare, ...contract(), ...newest()),
      verify(bare, ...contract(), ...hashes),
    ]);
    expect([one.code, all.code]).toEqual([3, 0]);
    expect(one.stdout).toContain('pass it with --block-hash');
  });

  it('exits 3 without a known block or contract', async () => {
    const [noBlock, noContract, otherContract, otherChain] = await Promise.all([
      verify(file, ...contract(), '--block-hash', UNKNOWN),
      verify(file, ...newest()),
      verify(file, '--contract', scene.token, ...newest()),
      verify(file, ...contract(), ...newest(), '--chain-id', '1'),
    ]);
    const codes = [noBlock.code, noContract.code, otherContract.code, otherChain.code];
    expect(codes).toEqual([3, 3, 1, 1]);
    expect(otherContract.stdout).toContain('FAIL');
  });

  it('rejects a changed file, and a file that is not a bundle', async () => {
    const text = await readFile(file, 'utf8');
    const files = {
      changed: text.replace('"state":"pending"', '"state":"finalized"'),
      none: 'no bundle',
      large: 'x'.repeat(16_777_217),
    };
    const [changed, none, large] = await Promise.all(
      Object.entries(files).map(async ([name, content]) => {
        await writeFile(join(dir, name), content);
        return verify(join(dir, name), ...contract(), ...newest(), '--json');
      }),
    );
    expect([changed?.code, none?.code, large?.code]).toEqual([1, 1, 1]);
    for (const result of [changed, none]) {
      expect(JSON.parse(result?.stdout ?? '')).toMatchObject({ verdict: 'fail' });
    }
    expect(large?.stderr).toContain('larger than any');
  });

  it('explains errors of the command line and of the RPC', async () => {
    const expected = [
      [['verify-bundle', join(dir, 'nowhere.json')], 2, 'it does not exist'],
      [['verify-bundle', dir, ...contract()], 2, 'it is a folder'],
      [['bundle', '31337', '1', '--rpc', rpc], 2, 'Say which contract'],
      [['bundle', '324', '1', '--rpc', 'http://127.0.0.1:9'], 1, 'no bundle can prove a receipt'],
      [['bundle', '324', '1', '--url', 'http://127.0.0.1:9'], 1, 'no bundle can prove a receipt'],
      [['bundle', '1', saleId, '--rpc', rpc, ...contract()], 1, 'serves chain 31337, not 1'],
      [['bundle', '31337', '999', '--rpc', rpc, ...contract()], 1, 'has no sale 999'],
      [
        ['bundle', '31337', '1', '--rpc', 'http://127.0.0.1:9', ...contract()],
        3,
        'cannot be reached',
      ],
    ] as const;
    for (const [args, code, sentence] of expected) {
      const result = await runHere(args);
      expect([args, result.code, result.stderr]).toEqual([
        args,
        code,
        expect.stringContaining(sentence),
      ]);
    }
  });
});
