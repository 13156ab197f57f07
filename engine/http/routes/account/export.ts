import { z } from 'zod';
import { exportRows, personOf } from '../../../db/read/account/export.ts';
import { isPersonalTable } from '../../../db/rows/stored-data.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { decodeCursor, pageOf } from '../../input/cursor.ts';
import { exportedRow } from '../../render/exported-row.ts';

const METHOD = 'account.export';
const Position = z.tuple([
  z.string().refine(isPersonalTable),
  z.string().regex(/^[^\0\p{Surrogate}]{0,1000}$/u),
]);

/** `account.export`: what is stored about the caller, table by table. A page is one statement. */
export const exportAccount: Handler<typeof METHOD> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input: { ...input, account } };
  const position = decodeCursor(scope, Position);
  const after = position && { table: position[0], key: position[1] };
  const person = await personOf(deps.pool, account);
  const rows = await exportRows(deps.pool, person, { after, limit });
  const { items, nextCursor } = pageOf(rows, limit, scope, ({ table, key }) => [table, key]);
  return { data: { items: items.map((row) => exportedRow(deps, account, row)), nextCursor } };
};
