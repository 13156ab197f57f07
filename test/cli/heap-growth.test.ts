import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FRUGAL, tsxCommand } from '../../engine/cli/stack/processes.ts';

const PROGRAM = fileURLToPath(new URL('../support/heap-peak.ts', import.meta.url));

/** The most MiB that the heap of the program had. @param limitMiB of the heap. */
async function peakOf(how: 'limited' | 'free', limitMiB: number): Promise<number> {
  const { command, args } = tsxCommand(PROGRAM, [how]);
  const node = [...FRUGAL.node, `--max-old-space-size=${limitMiB}`];
  const { stdout } = await promisify(execFile)(command, [...node, ...args]);
  return Number(stdout);
}

describe('limiting the growth of the heap', () => {
  it('makes a process hold less garbage whose objects outlived young collections', async () => {
    const free = await peakOf('free', 4_096);
    expect(await peakOf('limited', 4_096)).toBeLessThan(0.9 * free);
  });

  it('leaves the heap of a machine with little memory as it is', async () => {
    const free = await peakOf('free', 512);
    expect(await peakOf('limited', 512)).toBeLessThan(1.1 * free);
  });
});
