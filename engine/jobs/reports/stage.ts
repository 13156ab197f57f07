import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ReportColumn } from '../../core/report.ts';
import { type Batches, formats } from './format.ts';

/** What is in a file that was written. */
export interface FileCounts {
  /** Without the heading. */
  readonly rows: number;
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

interface Contents {
  readonly columns: readonly ReportColumn[];
  readonly batches: Batches;
  readonly format: 'csv' | 'json';
}

/**
 * Writes a report to a file of this machine, counting as it goes. No more than one batch of rows is in
 * memory: the next is asked for when the last is written.
 * @throws where the signal says so, or the disk or the rows fail.
 */
export async function stageReport(
  path: string,
  { columns, batches, format }: Contents,
  signal: AbortSignal,
): Promise<FileCounts> {
  const hash = createHash('sha256');
  let rows = 0;
  let size = 0;
  const counted = async function* () {
    for await (const batch of batches) {
      rows += batch.length;
      yield batch;
    }
  };
  const bytes = async function* () {
    for await (const text of formats[format](columns, counted())) {
      const piece = Buffer.from(text, 'utf8');
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  };
  await pipeline(bytes, createWriteStream(path, { mode: 0o600 }), { signal });
  return { rows, size, sha256: hash.digest('hex') };
}
