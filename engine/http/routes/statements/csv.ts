import { csvLines } from '../../../core/csv.ts';
import type { ReportCell, ReportColumn } from '../../../core/report.ts';
import type { Handler } from '../../handler-types.ts';
import {
  lineColumns,
  lineRows,
  statementColumns,
  statementRows,
} from '../../render/statement-rows.ts';
import { isoTime } from '../../render/time.ts';
import { statementFor, statementLinesFor } from '../../resources/statements/read-statement.ts';

/** `statements.csv`: `statements.earnings` as a file, one row for each token and period, or for each movement. */
export const csv: Handler<'statements.csv'> = async ({ rows, ...input }, deps, { account }) => {
  if (rows === 'lines') {
    const { data, chain } = await statementLinesFor(deps, input, account);
    const days = `${isoTime(data.from).slice(0, 10)}-${isoTime(data.to).slice(0, 10)}`;
    const name = `statement-lines-${account}-${days}.csv`;
    return { data: fileOf(name, lineColumns, lineRows(data.lines)), chain };
  }
  const { data, chain } = await statementFor(deps, input, account);
  const [from, to] = [data.from.slice(0, 10), data.to.slice(0, 10)];
  const name = `statement-${account}-${from}-${to}.csv`;
  return { data: fileOf(name, statementColumns, statementRows(data)), chain };
};

function fileOf(fileName: string, columns: readonly ReportColumn[], rows: ReportCell[][]) {
  return {
    fileName,
    columns: columns.map(({ name, description }) => ({ name, description })),
    rows: rows.length,
    csv: csvLines([columns.map(({ name }) => name), ...rows]),
  };
}
