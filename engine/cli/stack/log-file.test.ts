import { mkdtemp, open, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';
import { spawnChild } from './processes.ts';
import { LOG_LIMITS, limitForeignFile, RotatingFile } from './rotating-file.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-log-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

describe('openLogFile', () => {
  it('keeps the newest lines in a limited number of files, in order, and continues after a restart', async () => {
    const path = join(dir, 'rotated', 'part.log');
    const limits = { maxBytes: 100, maxFiles: 3 };
    const lines = Array.from({ length: 60 }, (_, i) => `line ${String(i).padStart(3, '0')}`);
    for (const part of [lines.slice(0, 31), lines.slice(31)]) {
      const log = openLogFile(path, [], limits);
      const stream = Readable.from([`${part.join('\n')}\n`]);
      log.follow(stream);
      await finished(stream);
      log.close();
    }
    const files = ['part.log.2', 'part.log.1', 'part.log'];
    expect((await readdir(join(dir, 'rotated'))).sort()).toEqual([...files].reverse());
    const texts = await Promise.all(
      files.map((name) => readFile(join(dir, 'rotated', name), 'utf8')),
    );
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100);
    // 11 lines of 9 bytes fit in a file.
    expect(texts.join('').split('\n').filter(Boolean)).toEqual(lines.slice(33));
    for (const name of files) {
      expect((await stat(join(dir, 'rotated', name))).mode & 0o777).toBe(0o600);
    }
  });

  it('writes texts of strangers so that they do not act on the terminal of a reader', async () => {
    const path = join(dir, 'hostile', 'part.log');
    const log = openLogFile(path);
    const stream = Readable.from(['{"msg":"\u009b2J\u202e"}\n\tDETAIL: \u001b[2Jpass\n']);
    const lines: string[] = [];
    log.follow(stream, (line) => lines.push(line));
    await finished(stream);
    log.close();
    const [json = '', text] = lines;
    expect(JSON.parse(json)).toEqual({ msg: '\u009b2J\u202e' });
    expect(text).toBe('\tDETAIL: \\u001b[2Jpass');
    const written = await readFile(path, 'utf8');
    expect(written).toBe(`${lines.join('\n')}\n`);
    expect(written).toMatch(/^[\t\n -~]*$/);
  });

  it('limits the log of a child that prints more than all its files may contain', async () => {
    const logFile = join(dir, 'child', 'child.log');
    const line = 'x'.repeat(999);
    const count = 120_000;
    const code = `let i = 0; const line = '${line}\\n'; const write = () => { while (i < ${count}) { i += 1; if (!process.stdout.write(i === ${count} ? 'last\\n' : line)) return process.stdout.once('drain', write); } }; write();`;
    const child = spawnChild({
      name: 'child',
      command: process.execPath,
      args: ['-e', code],
      logFile,
    });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    const names = await readdir(join(dir, 'child'));
    expect(names.sort()).toEqual(['', '.1', '.2', '.3', '.4'].map((end) => `child.log${end}`));
    for (const name of names) {
      expect((await stat(join(dir, 'child', name))).size).toBeLessThanOrEqual(LOG_LIMITS.maxBytes);
    }
    expect((await readFile(logFile, 'utf8')).endsWith(`${line}\nlast\n`)).toBe(true);
  });
});

describe('RotatingFile', () => {
  it('loses text on a full disk without an error', async () => {
    const path = join(dir, 'full.log');
    await symlink('/dev/full', path);
    const file = new RotatingFile(path);
    file.append('lost\n');
    file.close();
  });

  it('continues to write as soon as there is room again', async () => {
    const folder = join(dir, 'away');
    const path = join(folder, 'part.log');
    const log = openLogFile(path, [], { maxBytes: 10, maxFiles: 2 });
    log.close();
    const file = new RotatingFile(path, { maxBytes: 10, maxFiles: 2 });
    file.append('12345678\n');
    await rm(folder, { recursive: true });
    file.append('lost too\n');
    openLogFile(path, [], { maxBytes: 10, maxFiles: 2 }).close();
    file.append('is there\n');
    file.close();
    expect(await readFile(path, 'utf8')).toBe('is there\n');
  });
});

describe('limitForeignFile', () => {
  it('copies and empties a full file, to which its writer then appends from the start', async () => {
    const path = join(dir, 'server.log');
    await limitForeignFile(path, 10);
    const writer = await open(path, 'a');
    await writer.write('a long first line\n');
    await limitForeignFile(path, 10);
    await writer.write('second\n');
    await limitForeignFile(path, 10);
    await writer.close();
    expect(await readFile(`${path}.1`, 'utf8')).toBe('a long first line\n');
    expect(await readFile(path, 'utf8')).toBe('second\n');
  });
});
