import { amountText } from '../../../core/amount-text.ts';
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
  const { tokenSymbol: symbol = '', tokenDecimals: decimals = 0 } = state.campaign ?? {};
  const at = amountText(price, { symbol, decimals });
  const message =
    covered === null || covered === undefined
      ? `The reward of a sale at ${at} rounds to nothing.`
      : `The budget covers ${countOf(covered, 'more sale')} at ${at}.`;
  return { code: 'BUDGET', message };
}
