import type { Readable } from 'node:stream';
import type { Keccak256 } from '../../core/digest.ts';
import type { Hex } from '../../core/events.ts';
import { digestRoot } from '../../core/merkle.ts';
import type { Pool, Sql } from '../connection.ts';
import { type Deployment, readDeployment } from '../deployment.ts';
import { readHeads } from '../heads.ts';
import { isMixed, snapshotIn } from '../read/snapshot.ts';
import { digestsAt } from '../read/system/digests.ts';
import { type TableColumns, withColumns } from './tables.ts';

/** Root of the ledger at a block (docs/reference/digest.md). */
export interface BlockRoot {
  readonly block: { readonly number: number; readonly hash: Hex };
  readonly root: Hex;
  /** Stopped campaigns, which are not under the root. */
  readonly leftOut: readonly string[];
}

/** State of a sequence. `value` can exceed 53 bits. */
export interface SequenceState {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

/**
 * Runs reads in one snapshot of the database, however long they take, with settings under which text is written and
 * read alike on every server.
 */
export async function inSnapshot<T>(pool: Pool, read: (sql: Sql) => Promise<T>): Promise<T> {
  return await pool.begin('isolation level repeatable read read only', async (sql) => {
    await setCopyFormat(sql);
    return await read(sql);
  });
}

/** Sets how values are written as text, and lets statements take as long as they need, until the transaction ends. */
export async function setCopyFormat(sql: Sql): Promise<void> {
  await sql`
    select set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true),
      set_config('datestyle', 'ISO, YMD', true), set_config('intervalstyle', 'postgres', true),
      set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`;
}

/** The rows of a table as text, one line for each. */
export async function copyOut(sql: Sql, table: TableColumns): Promise<Readable> {
  return await sql.unsafe(`copy ${withColumns(table)} to stdout`).readable();
}

/** Names of the migrations that were applied, in order. */
export async function appliedMigrations(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from public.tributary_migration order by name`;
  return rows.map(({ name }) => name);
}

/** States of the sequences of the copied tables; a sequence may be ahead of the snapshot, never behind it. */
export async function sequenceStates(sql: Sql, withLedger: boolean): Promise<SequenceState[]> {
  const names = await sql<{ name: string }[]>`
    select schemaname || '.' || sequencename as name from pg_sequences
    where schemaname = any(${withLedger ? ['commerce', 'ledger'] : ['commerce']}::text[])
    order by name`;
  const states: SequenceState[] = [];
  for (const { name } of names) {
    const [row] = await sql<{ value: string; is_called: boolean }[]>`
      select last_value::text as value, is_called from ${sql(name)}`;
    if (row !== undefined) states.push({ name, value: row.value, isCalled: row.is_called });
  }
  return states;
}

/** Chain and contract of the database. @throws {Error} if nothing was started on it yet. */
export async function requireStoredDeployment(sql: Sql): Promise<Deployment> {
  const deployment = await readDeployment(sql);
  if (deployment === undefined) {
    throw new Error('This database belongs to no chain yet: there is nothing to back up.');
  }
  return deployment;
}

/**
 * The roots of the ledger at the settled block and, because a reorg can replace that one, at the finalized
 * block. Empty before the first settled block.
 */
export async function rootsNow(sql: Sql, keccak256: Keccak256): Promise<BlockRoot[]> {
  const heads = await readHeads(sql);
  if (heads?.settled == null) return [];
  const { settled, finalizedNumber, finalizedHash, finalizedReplaced } = heads;
  const blocks = [{ number: settled.number, hash: settled.hash }];
  const isFinal = finalizedNumber !== null && finalizedHash !== null && !finalizedReplaced;
  if (isFinal && finalizedNumber < settled.number) {
    blocks.push({ number: finalizedNumber, hash: finalizedHash });
  }
  const { head } = await snapshotIn(sql);
  const roots: BlockRoot[] = [];
  for (const block of blocks) {
    if (isMixed(head, block.number)) continue;
    const leftOut = head.stopped.map(({ campaignId }) => campaignId);
    roots.push({ block, leftOut, root: await rootWithout(sql, keccak256, block.number, leftOut) });
  }
  return roots;
}

/** Root at a block over all campaigns but some. */
export async function rootWithout(
  sql: Sql,
  keccak256: Keccak256,
  block: number,
  leftOut: readonly string[],
): Promise<Hex> {
  const without = new Set(leftOut);
  const digests = await digestsAt(sql, block);
  return digestRoot(
    keccak256,
    digests.filter(({ campaignId }) => !without.has(campaignId)),
  );
}

/** A stored file that a row names. */
export interface NamedFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** The files that rows name, some at a time: uploads, and reports that can be downloaded. */
export async function* namedFiles(sql: Sql): AsyncGenerator<readonly NamedFile[]> {
  const batches = sql<{ key: string; size: string; sha256: string }[]>`
    select key, size, sha256 from commerce.asset
    union all
    select file_key, size, sha256 from commerce.report where status = 'ready'
    order by key`.cursor(500);
  for await (const rows of batches) {
    yield rows.map((row) => ({ ...row, size: Number(row.size) }));
  }
}

/** True if a row still names the file. */
export async function isStillNamed(sql: Sql, key: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from commerce.asset where key = ${key}
    union all select 1 from commerce.report where file_key = ${key} and status = 'ready'`;
  return row !== undefined;
}
