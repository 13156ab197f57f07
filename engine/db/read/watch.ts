import type { Sql } from '../connection.ts';
import type { Trouble } from '../write/troubles.ts';

/** What the watchdogs look at, beside the heads (docs/operations.md, «Alarms»). */
export interface Watch {
  /** The database's clock, by which all these times are. */
  readonly now: Date;
  /** When the leading worker last wrote the heads. */
  readonly lookedAt: Date;
  /** Since when the indexed block stands still behind the chain's head; `null` where it does not. */
  readonly indexedBehindSince: Date | null;
  /** Since when the settled block stands still behind the indexed one. */
  readonly settledBehindSince: Date | null;
  readonly troubles: readonly (Trouble & { readonly since: Date })[];
}

interface WatchRow {
  now: Date;
  updated_at: Date;
  indexed_behind_since: Date | null;
  settled_behind_since: Date | null;
  troubles: {
    name: Trouble['name'];
    since: string;
    block_number: number | null;
    message: string;
  }[];
}

/** @returns `undefined` before settlement's first start. */
export async function readWatch(sql: Sql): Promise<Watch | undefined> {
  const [row] = await sql<WatchRow[]>`
    select clock_timestamp() as now, h.updated_at, h.indexed_behind_since, h.settled_behind_since,
      (select coalesce(json_agg(t order by t.name), '[]') from ledger.trouble t) as troubles
    from ledger.head h`;
  if (row === undefined) return undefined;
  return {
    now: row.now,
    lookedAt: row.updated_at,
    indexedBehindSince: row.indexed_behind_since,
    settledBehindSince: row.settled_behind_since,
    troubles: row.troubles.map(({ name, since, block_number: blockNumber, message }) => ({
      name,
      blockNumber,
      message,
      since: new Date(since),
    })),
  };
}
