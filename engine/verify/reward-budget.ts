import { answered, type ChainAnswer, missingOf } from './chain/answer.ts';
import { byLocation, logsOf } from './chain/decode.ts';
import type { ChainFacts } from './chain/facts.ts';
import { emptyLedger, type Ledger, ledgerAfter, unequalFields } from './chain/ledger.ts';

/** Liability and budget of a campaign just before a sale, which its caps are applied to; base units. */
export interface RewardBudget {
  readonly liability: bigint;
  readonly available: bigint;
}

/**
 * Computes the budget just before a sale: the ledger at the previous block, changed by the campaign's
 * events that precede the sale in its block. An RPC without old states may refuse, or silently return
 * another state. So the ledger at the sale's block must follow from the previous one and the events
 * between, or neither is used.
 */
export function budgetBefore(facts: ChainFacts): ChainAnswer<RewardBudget> {
  const { record, events, neighbours, ledgerBefore, ledgerAfter: after } = facts;
  if (!neighbours.ok) return neighbours;
  const isNew = logsOf(neighbours.value, 'CampaignCreated').length > 0;
  const start = isNew ? answered(emptyLedger) : ledgerBefore;
  if (!start.ok || !after.ok) {
    return { ok: false, reason: missingOf(start, after).join(' ') };
  }
  const native = logsOf(events, 'SaleAttested').length === 0;
  const reached = ledgerAfter(start.value, neighbours.value, native);
  const unequal = unequalFields(reached, after.value);
  if (unequal.length > 0) {
    return {
      ok: false,
      reason: `The RPC’s old states contradict the campaign’s events in block ${record.location.blockNumber} (${unequal.join(', ')}), so neither the ledger before the sale nor the split is known.`,
    };
  }
  const earlier = neighbours.value.filter((log) => byLocation(log, record) < 0);
  return answered(budgetOf(ledgerAfter(start.value, earlier, native)));
}

function budgetOf(ledger: Ledger): RewardBudget {
  const { pendingReserved, vestedUnclaimed, rewardsClaimed, available } = ledger;
  return { liability: pendingReserved + vestedUnclaimed + rewardsClaimed, available };
}
