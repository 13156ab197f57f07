import { coveredSales } from '../../../core/budget.ts';
import { policyAt } from '../../../core/campaign.ts';
import { countOf } from '../../../core/count-of.ts';
import type { FoldState } from '../../../core/fold/index.ts';
import type { SplitPolicy } from '../../../core/split.ts';
import type { OperationWarning } from './prepare.ts';

/** How many more sales the rewards of a campaign cover in a state, at the price of its own SKU. */
export function budgetWarning(
  state: FoldState,
  clock: number,
  policy: SplitPolicy | undefined = policyAt(state.policies, clock),
  price = state.snapshot.price,
): OperationWarning {
  const covered = policy && coveredSales(price, policy, state.snapshot.ledger);
  const symbol = state.campaign?.tokenSymbol ?? '';
  const message =
    covered === null || covered === undefined
      ? `The reward of a sale at ${price} base units of ${symbol} rounds to nothing.`
      : `The budget covers ${countOf(covered, 'more sale')} at ${price} base units of ${symbol}.`;
  return { code: 'BUDGET', message };
}
