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
import { readStatementLines, type StatementLine } from '../../../db/read/statements/lines.ts';
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

/** Largest number of lines of a statement. */
const MAX_LINES = 10_000;

/** Lines of the statement that a request asks for, and the time that it covers. */
export interface StatementLines {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly StatementLine[];
}

/**
 * The single movements of the statement that a request asks for.
 * @throws {HttpError} as `statementFor`, and UNPROCESSABLE naming `range` if there are more than 10,000.
 */
export async function statementLinesFor(
  deps: Pick<AppDeps, 'pool' | 'deployment' | 'client'>,
  input: StatementInput,
  account: Address,
): Promise<{ readonly data: StatementLines; readonly chain: ChainMeta }> {
  const { interval = 'month', token } = input;
  const requested = requestedEdges(interval, input.range);
  const filter = {
    campaignId: campaignFilter(input.campaignId),
    token: token === undefined ? undefined : lowerAddress(token),
    limit: MAX_LINES + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const { head } = snapshot;
    const edges = requested ?? defaultEdges(interval, head.timestamp);
    const [from = 0, to = from] = [edges[0], edges.at(-1)];
    const lines = await readStatementLines(snapshot, account, [from, to], filter);
    if (lines.length > MAX_LINES) {
      const message = `The statement has more than ${MAX_LINES} lines: choose a shorter time.`;
      throw unprocessable(message, [{ path: 'range', message: 'must be shorter' }]);
    }
    return { data: { from, to, lines }, chain: chainMeta(deps.deployment, head) };
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
