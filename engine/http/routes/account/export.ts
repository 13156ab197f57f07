import { z } from 'zod';
import { exportRows, personOf } from '../../../db/read/account/export.ts';
import { isPersonalTable } from '../../../db/tables/commerce.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage, mapItems } from '../../input/cursor.ts';
import { exportedRow } from '../../render/exported-row.ts';

const position = {
  table: z.string().refine(isPersonalTable),
  key: z.string().regex(/^[^\0\p{Surrogate}]{0,1000}$/u),
};

/** `account.export`: what is stored about the caller, table by table. A page is one statement. */
export const exportAccount: Handler<'account.export'> = async (input, deps, { account }) => {
  const page = new ListPage('account.export', { ...input, account }, position);
  const person = await personOf(deps.pool, account);
  const rows = await exportRows(deps.pool, person, page);
  return { data: mapItems(page.of(rows), (row) => exportedRow(deps, account, row)) };
};
