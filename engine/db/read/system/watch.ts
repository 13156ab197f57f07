import type { Sql } from '../../connection.ts';
import { as, date, nullable, rowCodec, type StoredRow, type View } from '../../row.ts';
import { feederErrorRow } from '../../rows/feeder-error.ts';
import { rpcHealthRow, type StoredRpcHealth } from '../../rows/rpc-health.ts';
import { jsonRows } from '../one-read.ts';
import { type RelayerWatch, relayerWatch, relayerWatches } from './relayer.ts';

const watchRow = rowCodec({
  /** The database's clock, which all these times are by. */
  now: date,
  /** When the leading worker last wrote the heads. */
  headsWrittenAt: date.from('updated_at'),
  /** Since when the indexed block has been behind the chain's head without moving; `null` if it is not. */
  indexedBehindSince: nullable(date),
  /** Since when the settled block has been behind the indexed one without moving; `null` if it is not. */
  settledBehindSince: nullable(date),
  feederErrors: as<readonly StoredRow[]>(),
  rpcs: as<readonly StoredRow[]>(),
  relayers: as<readonly StoredRow[]>(),
});

const feederErrorSince = rowCodec({ ...feederErrorRow.fields, since: date });

/** State that the watchdogs read, in addition to the heads (docs/operate/alarms.md#alarms). */
export interface LedgerWatch
  extends Omit<View<typeof watchRow>, 'feederErrors' | 'rpcs' | 'relayers'> {
  readonly feederErrors: readonly View<typeof feederErrorSince>[];
  /** Health of each RPC, first those of the indexer. */
  readonly rpcs: readonly StoredRpcHealth[];
  /** `null` if there was never a relayer. */
  readonly relayer: RelayerWatch | null;
}

/** State that the watchdogs read; `undefined` before settlement's first start. */
export async function readWatch(sql: Sql): Promise<LedgerWatch | undefined> {
  const [row] = await sql<StoredRow[]>`
    select clock_timestamp() as now, head.updated_at, head.indexed_behind_since,
      head.settled_behind_since, ${jsonRows(sql, sql`select * from ledger.feeder_error`, feederErrorSince, 'each.name')} as feeder_errors,
      ${jsonRows(sql, sql`select * from ledger.rpc_health`, rpcHealthRow, 'each.part, each.place')} as rpcs,
      ${jsonRows(sql, relayerWatches(sql), relayerWatch)} as relayers
    from ledger.head`;
  if (row === undefined) return undefined;
  const { feederErrors, rpcs, relayers, ...watch } = watchRow.decode(row);
  return {
    ...watch,
    relayer: relayers.map(relayerWatch.decode)[0] ?? null,
    feederErrors: feederErrors.map(feederErrorSince.decode),
    rpcs: rpcs.map(rpcHealthRow.decode),
  };
}
