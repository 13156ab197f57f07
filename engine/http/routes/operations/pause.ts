import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { type OwnState, readOwnState } from '../../resources/operations/own-state.ts';
import {
  type OperationPlan,
  preparedOperation,
  refused,
} from '../../resources/operations/prepare.ts';
import { stillOpen, switchPlan } from '../../resources/operations/switch-state.ts';

/** `operations.pause`: stops sales and joining until the campaign is resumed. */
export const pause: Handler<'operations.pause'> = async ({ campaignId }, deps, { merchant }) => {
  const own = await readOwnState(deps, campaignId, merchant);
  return { data: await preparedOperation(deps, own, planOf(deps, own)), chain: own.chain };
};

function planOf(deps: AppDeps, own: OwnState): OperationPlan {
  const { state, snapshot } = own.campaign;
  if (state === 'PAUSED') return { status: 'in_effect' };
  if (state === 'ENDED' || state === 'EXPIRED') return refused('WrongState');
  const { pending } = snapshot.counts;
  const message = `Sales and joining stop until resume.${stillOpen(pending)}`;
  return switchPlan(deps, own, 'pause', [{ code: 'STOPS_SALES', message }]);
}
