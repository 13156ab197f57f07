import type { Fragment, Sql } from './connection.ts';

/**
 * Hints for PostgreSQL's planner, each defined once with its reason (bench/decisions.md#writing-the-ledger). The planner
 * estimates how many rows a part of a statement has. If an estimate is far off, as for a table that has
 * just been filled, the plan can read a whole table where a few index probes are enough.
 */

/**
 * `offset 0`, which ends a subquery that the planner must not merge into the statement around it. Inside
 * `cross join lateral ( … )` the subquery then runs for each outer row and finds its rows by the index
 * that its `where` names. Without the fence the planner may turn it into a join that reads the whole
 * table, and keeps that plan for as long as the connection keeps the prepared statement.
 */
export function fence(sql: Sql): Fragment {
  return sql`offset 0`;
}

/**
 * A column as an index has it that only the statements it was made for may use: `journal_chain`, `sale_due` and
 * `tributary_fact_across`, which are for all campaigns. Between two limits that it does not know the planner expects few
 * rows, and preferred these indexes to those that begin with the campaign: it read the events and holds of all campaigns
 * to find those of one. A condition on the column itself cannot use such an index.
 */
export function asIndexed(sql: Sql, column: Fragment): Fragment {
  return sql`(${column} + 0)`;
}

/**
 * `limit` with the number in the text of the statement. For a `limit` that is a parameter the planner
 * expects a tenth of the table, and so makes a new plan for each execution, which takes ten times as long
 * as running it.
 * @throws {RangeError} if `rows` is negative or not a safe integer.
 */
export function limitTo(sql: Sql, rows: number): Fragment {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is no limit`);
  return sql.unsafe(`limit ${rows}`);
}

/**
 * Makes the planner use the values of the parameters for the rest of the transaction. For reads whose cost
 * depends on how much an account or a merchant has: the generic plan expects the little that most have,
 * and reads too much for the others.
 */
export function planForParameters(sql: Sql) {
  // Sent now, not when it is awaited: it must arrive before the statements that it is awaited with.
  return sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute();
}

/**
 * Makes the planner use one plan for any parameters for the rest of the transaction. For a large statement
 * that finds its rows by indexes whatever the parameters are, and that takes longer to plan than to run.
 */
export function planOnce(sql: Sql) {
  return sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`.execute();
}

/** Memory for each sort or hash table of the rest of the transaction, such as `64MB`: more goes to disk. */
export function sortInMemory(sql: Sql, memory: string) {
  return sql`select set_config('work_mem', ${memory}, true)`.execute();
}

/**
 * Columns for the `select` that begins a batch: they make the rest of the transaction find rows by
 * indexes, with one plan whatever its parameters. A plan that was made while the ledger was small would
 * otherwise read whole tables until it is replaced; and for a list of one the planner expects so little
 * that it would make a new plan for each execution. They are set in the statement that begins the
 * batch to save a round trip, and not in the pool, because audits and replays must scan tables.
 */
export function planByIndex(sql: Sql): Fragment {
  return sql`set_config('enable_seqscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)`;
}
