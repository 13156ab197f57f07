import { type Answer, answered, missingOf } from './chain/answer.ts';
import { byPlace, logsOf } from './chain/decode.ts';
import type { ChainFacts } from './chain/facts.ts';
import { emptyLedger, type Ledger, ledgerAfter, unequalFields } from './chain/ledger.ts';

/** What the caps of a sale are applied to, as the campaign stood just before it; base units. */
export interface Standing {
  readonly liability: bigint;
  readonly available: bigint;
}

/**
 * The campaign just before the sale: its ledger at the block before, moved by its events that stand
 * in the sale's block before the sale (design §4). An RPC without old states may refuse, or answer
 * with another state in silence; so the ledger at the sale's block must follow from the one before
 * it and the events between, or neither is believed.
 */
export function standingBefore(facts: ChainFacts): Answer<Standing> {
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
      reason: `The RPC’s old states contradict the campaign’s events in block ${record.place.blockNumber} (${unequal.join(', ')}), so neither the ledger before the sale nor the split is known.`,
    };
  }
  const earlier = neighbours.value.filter((log) => byPlace(log, record) < 0);
  return answered(standingOf(ledgerAfter(start.value, earlier, native)));
}

function standingOf(ledger: Ledger): Standing {
  const { pendingReserved, vestedUnclaimed, rewardsClaimed, available } = ledger;
  return { liability: pendingReserved + vestedUnclaimed + rewardsClaimed, available };
}
