import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { jsonLines } from '../../scripts/json-lines.ts';

/**
 * Expects that a file has this value, with one record on each line. `vitest -u` writes it.
 * @param value becomes JSON, with bigint as strings: numbers of JSON are not exact.
 * @param levels as in `jsonLines`.
 */
export async function expectRecorded(value: unknown, file: URL, levels: number): Promise<void> {
  const exact = (_name: string, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part;
  const plain: unknown = JSON.parse(JSON.stringify(value, exact));
  const path = fileURLToPath(file);
  try {
    await expect(`${jsonLines(plain, levels)}\n`).toMatchFileSnapshot(path);
  } catch (error) {
    // The fields that differ can be read; lines of thousands of characters cannot.
    expect(plain).toEqual(JSON.parse(readFileSync(path, 'utf8')));
    throw error;
  }
}
