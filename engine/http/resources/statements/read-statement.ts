import type { z } from 'zod';
import type { ChainMeta } from '../../../contract/envelope.ts';
import type { EarningsStatement } from '../../../contract/shapes/statement.ts';
import type { InputOf, MethodOf } from '../../../contract/types.ts';
import type { Address } from '../../../core/events.ts';
import {
  defaultEdges,
  maxPeriods,
  periodEdges,
  type StatementInterval,
} from '../../../core/statement.ts';
import { readStatement } from '../../../db/read/statements/read.ts';
import { readAsOf } from '../../as-of.ts';
import type { AppDeps } from '../../deps.ts';
import { invalidField, unprocessable } from '../../errors.ts';
import { chainMeta } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { periodOf } from '../../input/period.ts';
import { statementOf } from '../../render/statement.ts';

/** Largest number of tokens of a statement. */
const MAX_TOKENS = 10;

type StatementInput = InputOf<MethodOf<'statements.earnings'>>;

/**
 * The statement that a request asks for.
 * @throws {HttpError} VALIDATION_FAILED naming `range` if it has too many periods.
 * @throws {HttpError} UNPROCESSABLE naming `token` if the account has rewards in more than 10 tokens.
 */
export async function statementFor(
  deps: Pick<AppDeps, 'pool' | 'deployment' | 'client'>,
  input: StatementInput,
  account: Address,
): Promise<{ readonly data: z.infer<typeof EarningsStatement>; readonly chain: ChainMeta }> {
  const { interval = 'month', token } = input;
  const requested = requestedEdges(interval, input.range);
  const filter = {
    campaignId: campaignFilter(input.campaignId),
    token: token === undefined ? undefined : lowerAddress(token),
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const { head } = snapshot;
    const edges = requested ?? defaultEdges(interval, head.timestamp);
    const found = await readStatement(snapshot, account, edges, filter, MAX_TOKENS + 1);
    if (found.length > MAX_TOKENS) {
      const message = `You have rewards in more than ${MAX_TOKENS} tokens: name one.`;
      throw unprocessable(message, [{ path: 'token', message: 'must name one token' }]);
    }
    return { data: statementOf(interval, edges, found), chain: chainMeta(deps.deployment, head) };
  });
}

function requestedEdges(interval: StatementInterval, range: StatementInput['range']) {
  const period = periodOf(range);
  if (period === undefined) return undefined;
  const edges = periodEdges(interval, period);
  if (edges !== undefined) return edges;
  const message = `must touch at most ${maxPeriods[interval]} ${interval}s, from 1970 on`;
  throw invalidField('range', message);
}
