import {
  type AlarmDecision,
  acknowledgeAlarm,
  unacknowledgeAlarm,
} from '../../../db/commerce/alarm-decisions.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';

/** `alarms.acknowledge`: one alarm, or all of a token or merchant. */
export const acknowledge: Handler<'alarms.acknowledge'> = async (input, deps, { account }) => {
  const by = requireOperator(deps, account);
  const decision = await acknowledgeAlarm(deps.pool, { ...input, by });
  if (decision === undefined) throw notFound(`There is no alarm ${input.key}.`);
  return { data: rendered(decision) };
};

/** `alarms.unacknowledge` */
export const unacknowledge: Handler<'alarms.unacknowledge'> = async (input, deps, { account }) => {
  const by = requireOperator(deps, account);
  const decision = await unacknowledgeAlarm(deps.pool, { ...input, by });
  if (decision === undefined) throw conflict(`${input.key} is not acknowledged.`);
  return { data: rendered(decision) };
};

function rendered(decision: AlarmDecision) {
  return { ...decision, at: decision.at.toISOString() };
}
