import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { type OwnState, readOwnState } from '../../resources/operations/own-state.ts';
import {
  type OperationPlan,
  preparedOperation,
  refused,
} from '../../resources/operations/prepare.ts';
import { switchPlan } from '../../resources/operations/switch-state.ts';
import { budgetWarning } from '../../resources/operations/warnings.ts';

/** `operations.resume`: undoes a pause. */
export const resume: Handler<'operations.resume'> = async ({ campaignId }, deps, { merchant }) => {
  const own = await readOwnState(deps, campaignId, merchant);
  return { data: await preparedOperation(deps, own, planOf(deps, own)), chain: own.chain };
};

function planOf(deps: AppDeps, own: OwnState): OperationPlan {
  const { state, snapshot } = own.campaign;
  if (snapshot.ended) return refused('WrongState');
  if (!snapshot.paused) return { status: 'in_effect' };
  const expired = {
    code: 'NO_EFFECT',
    message:
      'The campaign has expired: it takes no sales until a policy with a later expiry takes effect, and none after its end.',
  } as const;
  return switchPlan(deps, own, 'resume', [
    budgetWarning(own.state, own.clock),
    ...(state === 'EXPIRED' ? [expired] : []),
  ]);
}
