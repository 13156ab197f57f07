import postgres from 'postgres';
import { waitFor } from './wait-for.ts';

/** Key of the advisory lock that batches wait for. */
const GATE = '6340063';

/** Stops the batches of a database in their middle, so that something can happen to a worker exactly there. */
export interface BatchGate {
  /** Waits until a batch waits at the gate. */
  reached(): Promise<void>;
  /** Ends the batches that wait there, whose workers are dead; the gate stays closed. */
  clear(): Promise<void>;
  /** Lets all batches through from now on. */
  open(): Promise<void>;
}

/** Closes a gate before the rows of `ledger.journal`, which every batch writes. */
export async function closeBatchGate(databaseUrl: string): Promise<BatchGate> {
  // One session has the lock, another one polls.
  const keeper = postgres(databaseUrl, { max: 1, max_lifetime: null });
  const watcher = postgres(databaseUrl, { max: 1 });
  await keeper.unsafe(`
    select pg_advisory_lock(${GATE});
    create function public.gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$;
    create trigger gate before insert on ledger.journal
    for each statement execute function public.gate()`);
  const isReached = async () => {
    const rows = await watcher.unsafe(`
      select from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted
        and database = (select oid from pg_database where datname = current_database())`);
    return rows.length > 0;
  };
  const unlock = () => keeper.unsafe(`select pg_advisory_unlock(${GATE})`);
  return {
    reached: async () => {
      await waitFor(isReached, { what: 'a batch to be under way', timeout: 90_000 });
    },
    clear: async () => {
      await unlock();
      // A dead worker's transaction ends when the server sees that its client is gone.
      await keeper.unsafe(`select pg_advisory_lock(${GATE})`);
    },
    open: async () => {
      await unlock();
      await keeper.unsafe('drop trigger gate on ledger.journal; drop function public.gate');
      await Promise.all([keeper.end(), watcher.end()]);
    },
  };
}
