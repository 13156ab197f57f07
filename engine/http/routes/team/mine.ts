import { membershipsOf } from '../../../db/commerce/team.ts';
import type { Handler } from '../../handler-types.ts';

/** `team.mine`: merchants for which the caller works. */
export const mine: Handler<'team.mine'> = async (_input, { pool }, { account }) => ({
  data: await membershipsOf(pool, account),
});
