import { countOf } from '../../../core/count-of.ts';
import type { EventArgs } from '../../../core/events.ts';
import { afterEvents, campaignChanges } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { type OwnState, readOwnState } from '../../resources/operations/own-state.ts';
import {
  type OperationPlan,
  preparedOperation,
  refused,
} from '../../resources/operations/prepare.ts';
import { budgetWarning } from '../../resources/operations/warnings.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** `operations.raiseCapacity`: raises the number of links and sales that a campaign may have. */
export const raiseCapacity: Handler<'operations.raiseCapacity'> = async (input, deps, caller) => {
  const own = await readOwnState(deps, input.campaignId, caller.merchant);
  const { nodeCapacity, saleCapacity } = own.campaign.snapshot;
  const { nodes = nodeCapacity, sales = saleCapacity } = input;
  const plan = planOf(deps, own, { nodeCapacity: nodes, saleCapacity: sales });
  return { data: await preparedOperation(deps, own, plan), chain: own.chain };
};

function planOf(
  { deployment }: AppDeps,
  { campaign, state, clock }: OwnState,
  wanted: EventArgs<'CapacityRaised'>,
): OperationPlan {
  const { nodeCapacity, saleCapacity } = wanted;
  const present = campaign.snapshot;
  if (nodeCapacity < present.nodeCapacity || saleCapacity < present.saleCapacity) {
    return refused('CapacityFalls');
  }
  const after = afterEvents(state, [{ name: 'CapacityRaised', args: wanted }], clock);
  const preview = campaignChanges(state, after, clock);
  if (preview.length === 0) return { status: 'in_effect' };
  const { campaignId } = campaign;
  const call = commerceCall(deployment, {
    functionName: 'raiseCapacity',
    args: [BigInt(campaignId), BigInt(nodeCapacity), BigInt(saleCapacity)],
    description: `Lets campaign ${campaignId} have ${countOf(nodeCapacity, 'link')} and ${countOf(saleCapacity, 'sale')} in total. This cannot be lowered again.`,
  });
  const warnings = [budgetWarning(after, clock)];
  return { status: 'ready', steps: [['RAISE_CAPACITY', call]], preview, warnings };
}
