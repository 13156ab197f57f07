import type { Handler } from '../../handler-types.ts';
import { statementFor } from '../../resources/statements/read-statement.ts';

/** `statements.earnings`: the caller's rewards by day or month, with balances that add up. */
export const earnings: Handler<'statements.earnings'> = async (input, deps, { account }) =>
  await statementFor(deps, input, account);
