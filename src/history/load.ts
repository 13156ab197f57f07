import { finished } from 'node:stream/promises';
import type postgres from 'postgres';
import { COLUMNS, checkpointOf, copyLine } from './rows.ts';
import { type LogRange, type RpcOptions, readRanges } from './rpc.ts';

/** Input of `loadHistory`. */
export interface LoadOptions extends RpcOptions {
  /** Opens a connection to the database. */
  readonly connect: () => postgres.Sql;
  /** The indexer's schema: its tables exist, and nothing else writes to them. */
  readonly schema: string;
  readonly chainId: number;
  /** Name of the chain in `ponder.config.ts`. */
  readonly chainName: string;
  /** First block that may have a log of the contract. */
  readonly startBlock: number;
  /** Highest block of which Ponder has indexed everything, `null` if it has not begun. */
  readonly indexedBlock: number | null;
  /** Last block to load: final to Ponder. */
  readonly finalizedBlock: number;
  /** Called for each range that was stored. */
  readonly onProgress: (progress: LoadProgress) => void;
}

/** A range that was stored. */
export interface LoadProgress {
  readonly block: number;
  readonly events: number;
}

/** Result of a load. */
export interface Loaded {
  /** Everything up to this block is in the table; `null` if nothing was ever loaded. */
  readonly block: number | null;
  /** Ponder's checkpoint of that block if this call has moved it. */
  readonly checkpoint: string | null;
}

/**
 * Loads the finalized part of the chain's history into `chain_event`, in ranges: the rows are those that
 * Ponder's handler would insert (bench/decisions.md#finalized-history-is-loaded-in-bulk). The rows of a range,
 * Ponder's checkpoint and the position are written in one transaction, so that a killed load continues where it
 * ended. Ponder continues after the last block.
 */
export async function loadHistory(options: LoadOptions): Promise<Loaded> {
  const sql = options.connect();
  try {
    const loaded = await readPosition(sql, options.schema);
    const done = Math.max(options.startBlock - 1, loaded ?? -1, options.indexedBlock ?? -1);
    let [block, checkpoint]: [number | null, string | null] = [loaded, null];
    for await (const range of readRanges(options, done + 1, options.finalizedBlock)) {
      checkpoint = await store(sql, options, range);
      block = Number(range.to.number);
      options.onProgress({ block, events: range.logs.length });
    }
    return { block, checkpoint };
  } finally {
    await sql.end();
  }
}

async function readPosition(sql: postgres.Sql, schema: string): Promise<number | null> {
  const table = sql`${sql(schema)}.loaded_history`;
  await sql`
    create table if not exists ${table} (
      singleton boolean primary key default true check (singleton),
      block_number bigint not null
    )`;
  const [row] = await sql<{ block_number: string }[]>`select block_number from ${table}`;
  return row === undefined ? null : Number(row.block_number);
}

async function store(
  sql: postgres.Sql,
  options: LoadOptions,
  { to, logs, timestamps }: LogRange,
): Promise<string> {
  const { schema, chainId, chainName } = options;
  const checkpoint = checkpointOf(to, chainId);
  await sql.begin(async (tx) => {
    if (logs.length > 0) {
      const lines = logs.map((log) => {
        const timestamp = timestamps.get(log.blockNumber);
        if (timestamp === undefined) throw new Error(`block ${log.blockNumber} has no time`);
        return copyLine(log, timestamp);
      });
      await copyIn(tx, tx`${tx(schema)}.chain_event (${tx(COLUMNS)})`, lines.join(''));
    }
    await tx`
      insert into ${tx(schema)}.loaded_history (block_number) values (${String(to.number)})
      on conflict (singleton) do update set block_number = excluded.block_number`;
    await tx`
      insert into ${tx(schema)}._ponder_checkpoint
        (chain_name, chain_id, safe_checkpoint, latest_checkpoint, finalized_checkpoint)
      values (${chainName}, ${chainId}, ${checkpoint}, ${checkpoint}, ${checkpoint})
      on conflict (chain_name) do update set
        safe_checkpoint = excluded.safe_checkpoint, latest_checkpoint = excluded.latest_checkpoint,
        finalized_checkpoint = excluded.finalized_checkpoint`;
  });
  return checkpoint;
}

/**
 * Copies rows in the text format of COPY.
 * @throws the server's error with its code.
 */
async function copyIn(
  tx: postgres.TransactionSql,
  target: postgres.PendingQuery<postgres.Row[]>,
  lines: string,
): Promise<void> {
  const query = tx`copy ${target} from stdin`;
  const sink = await query.writable();
  // As in `engine/db/copy-sink.ts`: the driver reports an error to the query, which is resolved by then, and the
  // stream would wait for ever.
  Reflect.set(query, 'reject', (error: Error) => sink.destroy(error));
  sink.end(lines);
  await finished(sink);
}
