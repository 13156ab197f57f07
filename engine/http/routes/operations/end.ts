import { requireConfirmation } from '../../auth/confirmation.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { amountOf } from '../../render/amount-of.ts';
import { type OwnState, readOwnState } from '../../resources/operations/own-state.ts';
import { type OperationPlan, preparedOperation } from '../../resources/operations/prepare.ts';
import { stillOpen, switchPlan } from '../../resources/operations/switch-state.ts';

/** `operations.end`: ends a campaign for good. Requires a fresh signature unless it has ended already. */
export const end: Handler<'operations.end'> = async (input, deps, { merchant, session }) => {
  const own = await readOwnState(deps, input.campaignId, merchant);
  if (!own.campaign.snapshot.ended) {
    await requireConfirmation(deps, session, input.confirmationToken);
  }
  return { data: await preparedOperation(deps, own, planOf(deps, own)), chain: own.chain };
};

function planOf(deps: AppDeps, own: OwnState): OperationPlan {
  const { snapshot } = own.campaign;
  if (snapshot.ended) return { status: 'in_effect' };
  const { pending } = snapshot.counts;
  const { available } = snapshot.ledger;
  const message = `This cannot be undone: no more sales and links.${stillOpen(pending)} You can withdraw the ${amountOf(available, own.campaign)} that nothing is reserved for.`;
  return switchPlan(deps, own, 'end', [{ code: 'FINAL', message }]);
}
