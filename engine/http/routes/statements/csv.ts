import { csvLines } from '../../../core/csv.ts';
import type { Handler } from '../../handler-types.ts';
import { statementColumns, statementRows } from '../../render/statement-rows.ts';
import { statementFor } from '../../resources/statements/read-statement.ts';

/** `statements.csv`: `statements.earnings` as a file, one row for each token and period. */
export const csv: Handler<'statements.csv'> = async (input, deps, { account }) => {
  const { data, chain } = await statementFor(deps, input, account);
  const rows = statementRows(data);
  const [from, to] = [data.from.slice(0, 10), data.to.slice(0, 10)];
  return {
    data: {
      fileName: `statement-${account}-${from}-${to}.csv`,
      columns: statementColumns.map(({ name, description }) => ({ name, description })),
      rows: rows.length,
      csv: csvLines([statementColumns.map(({ name }) => name), ...rows]),
    },
    chain,
  };
};
