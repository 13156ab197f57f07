/*
 * Ponder writes blocks, transactions and logs of its cache block by block, three statements each,
 * and builds one parameter for each value. Here, rows that are written concurrently go together: one
 * statement per table, with one JSON parameter.
 */

/** Rows in one statement: some megabytes of JSON. */
const MAX_ROWS = 5_000;

/**
 * Makes Ponder's store of RPC answers write many rows with one statement. A call still ends when its
 * rows are written, on the connection and in the transaction that it would have used.
 */
export function withBulkInserts(store, { qb, sql, schema, encoders }) {
  const { encodeBlock, encodeLog, encodeTransaction } = encoders;
  const blocks = bulkInsert(qb, 'insert_blocks', insertInto(sql, `"${schema}"."blocks"`));
  const transactions = bulkInsert(
    qb,
    'insert_transactions',
    insertInto(sql, `"${schema}"."transactions"`),
  );
  const logs = bulkInsert(qb, 'insert_logs', insertInto(sql, `"${schema}"."logs"`));
  return Object.assign(store, {
    insertBlocks: (given, context) =>
      blocks(
        given.blocks.map((block) => encodeBlock({ ...given, block })),
        context,
      ),
    insertTransactions: (given, context) =>
      transactions(
        given.transactions.map((transaction) => encodeTransaction({ ...given, transaction })),
        context,
      ),
    insertLogs: (given, context) =>
      logs(
        given.logs.map((log) => encodeLog({ ...given, log })),
        context,
      ),
  });
}

/** Writes rows of a table. Rows that are given while it writes wait, and are then written together. */
function bulkInsert(qb, label, insertOf) {
  let waiting = [];
  let writing = false;

  async function writeAll() {
    writing = true;
    // Waits for other rows of this turn of the event loop.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const calls = waiting;
      waiting = [];
      try {
        const rows = calls.flatMap((call) => call.rows);
        for (let i = 0; i < rows.length; i += MAX_ROWS) {
          const query = insertOf(rows.slice(i, i + MAX_ROWS));
          await qb.wrap({ label }, (db) => db.execute(query), calls[0].context);
        }
        for (const { resolve } of calls) resolve();
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    writing = false;
  }

  return (rows, context) => {
    if (rows.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      waiting.push({ rows, context, resolve, reject });
      if (!writing) writeAll();
    });
  };
}

/** Makes the statement that inserts rows and skips existing ones. */
function insertInto(sql, table) {
  return (rows) => {
    const columns = Object.keys(rows[0]).map(columnOf);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const records = rows.map((row) => {
      const values = Object.values(row);
      return Object.fromEntries(columns.map((column, i) => [column, toJson(values[i])]));
    });
    const insert = `INSERT INTO ${table} (${names})
      SELECT ${names} FROM json_populate_recordset(NULL::${table}, `;
    const rest = '::json) ON CONFLICT DO NOTHING';
    return sql`${sql.raw(insert)}${JSON.stringify(records)}${sql.raw(rest)}`;
  };
}

/** Column name as Ponder's drizzle makes it: chainId → chain_id, topic0 → topic0. */
function columnOf(key) {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toJson(value) {
  return typeof value === 'bigint' ? value.toString() : value;
}
