import type { Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import {
  cancelConversion,
  PartitionError,
  type PartitionProgress,
  partitionTables,
} from '../../db/partition/convert.ts';
import { prepareStatements, replaceStatements } from '../../db/partition/ddl.ts';
import { readTable, type TableDefinition } from '../../db/partition/table.ts';
import { type PartitionableTable, partitionableTables } from '../../db/tables/ledger.ts';
import type { Env } from '../../env.ts';
import { withDatabase } from '../backup/database.ts';
import { progressLine } from '../backup/progress.ts';
import { untilStopped } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';
import { out, style } from '../output.ts';

/** Options of `tributary partition`. */
export interface PartitionCommandOptions {
  /** Number of partitions; 1 for tables without partitions. */
  readonly partitions?: number;
  /** Tables of the ledger; default all that can be partitioned. */
  readonly table?: readonly PartitionableTable[];
  readonly dryRun?: boolean;
  readonly cancel?: boolean;
  readonly json?: boolean;
}

/**
 * Runs `tributary partition`. Without a number of partitions it shows the tables as they are. Ctrl-C stops it between two
 * batches; the next run continues.
 */
export async function runPartition(env: Env, options: PartitionCommandOptions): Promise<void> {
  const { partitions, table: tables = partitionableTables } = options;
  await withDatabase(env, 'partition', async (pool) => {
    try {
      if (options.cancel === true) await cancel(pool, options);
      else if (partitions === undefined || options.dryRun === true) {
        await show(pool, tables, options);
      } else {
        await migrate(pool);
        await convert(pool, { ...options, tables, partitions });
      }
    } catch (error) {
      if (error instanceof PartitionError) throw new CommandError(error.message);
      throw error;
    }
  });
}

async function cancel(pool: Pool, { json }: PartitionCommandOptions): Promise<void> {
  const table = await cancelConversion(pool);
  if (json === true) return out.json({ cancelled: table ?? null }, 0);
  const done =
    table === undefined ? 'No conversion is under way.' : `ledger.${table} stays as it is.`;
  out.print(done);
}

async function convert(
  pool: Pool,
  {
    tables,
    partitions,
    json,
  }: { tables: readonly PartitionableTable[]; partitions: number; json?: boolean },
): Promise<void> {
  const stop = new AbortController();
  untilStopped().then(() => stop.abort());
  try {
    const converted = await progressLine(json === true, (onProgress) =>
      partitionTables(pool, {
        ...{ tables, partitions },
        signal: stop.signal,
        onProgress: (progress) => onProgress(sentenceOf(progress)),
      }),
    );
    if (json === true) out.json({ converted, partitions }, 0);
    else print(converted, partitions);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError(
      'Stopped. Repeat the command to continue, or undo the table under way with --cancel: until then every write to it is done twice.',
    );
  }
}

function sentenceOf({ table, step, copied, rows, waitsFor }: PartitionProgress): string {
  if (waitsFor !== undefined) return `ledger.${table}: ${step}, waits for ${waitsFor}`;
  if (step !== 'copying') return `ledger.${table}: ${step}`;
  const estimate = rows > copied ? ` of about ${Math.round(rows)}` : '';
  return `ledger.${table}: copied ${copied}${estimate} rows`;
}

function print(converted: readonly string[], partitions: number): void {
  const layout = partitions === 1 ? 'no partitions' : `${partitions} partitions`;
  if (converted.length === 0) out.print(`Nothing to do: the tables have ${layout}.`);
  for (const name of converted) out.print(style.green(`ledger.${name} has ${layout}.`));
}

/** Shows the tables, and what would be done. Changes nothing. */
async function show(
  pool: Pool,
  tables: readonly PartitionableTable[],
  { partitions, json }: PartitionCommandOptions,
): Promise<void> {
  const definitions: TableDefinition[] = [];
  for (const name of tables) definitions.push(await readTable(pool, name));
  const planned = definitions.filter((table) => partitions && table.partitions !== partitions);
  // One table is copied after the other, and the old one dropped before the next is copied.
  const neededBytes = Math.max(0, ...planned.map(({ bytes }) => bytes));
  const statements = planned.flatMap((table) => statementsOf(table, partitions ?? 1));
  if (json === true) {
    const shown = definitions.map(({ name, partitions: now, rows, bytes, blockers }) => ({
      ...{ table: name, partitions: now, rows, bytes, blockers },
    }));
    return out.json({ tables: shown, neededBytes, statements });
  }
  const rows = definitions.map(({ name, partitions: now, rows: count, bytes }) => [
    `ledger.${name}`,
    String(now),
    String(Math.round(count)),
    `${Math.ceil(bytes / 2 ** 20)} MB`,
  ]);
  out.table(rows, ['table', 'partitions', 'rows (estimated)', 'size']);
  for (const { name, blockers } of definitions) {
    for (const blocker of blockers) out.print(style.red(`ledger.${name}: ${blocker}`));
  }
  if (partitions === undefined) return;
  out.print('', ...statements.flatMap((text) => `${text.trim()};`.split('\n')), '');
  out.print(
    `Disk needed meanwhile: ${Math.ceil(neededBytes / 2 ** 20)} MB, and as much for PostgreSQL’s log. Nothing was changed.`,
  );
}

function statementsOf(table: TableDefinition, partitions: number): string[] {
  return [
    ...prepareStatements(table, partitions),
    `-- Then the rows are copied in batches, and compared`,
    ...replaceStatements(table, new Map(table.views.map((view) => [view, '…']))),
  ];
}
