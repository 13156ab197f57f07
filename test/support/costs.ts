import { appendFile, readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';

// With `TEST_COSTS=FILE`, each test file appends a line to FILE: processor seconds, seconds of the clock, its path.
// Processor seconds include processes that it started and that ended before it, and not the PostgreSQL server and
// the sample site that all files share.

/** Of Linux, on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

const { TEST_COSTS: output } = process.env;
if (output) {
  const cpu = await processorSeconds();
  const start = performance.now();
  afterAll(async () => {
    const { testPath = '' } = expect.getState();
    const spent = (await processorSeconds()) - cpu;
    const seconds = (performance.now() - start) / 1000;
    const path = relative(process.cwd(), testPath);
    await appendFile(output, `${spent.toFixed(1)}\t${seconds.toFixed(1)}\t${path}\n`);
  });
}

/** Of this process and its children that ended: the fields utime, stime, cutime and cstime of proc(5). */
async function processorSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  // The name of the program, before the last parenthesis, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / TICKS_PER_SECOND, 0);
}
