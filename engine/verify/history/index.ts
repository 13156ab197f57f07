import type { DecodedLog } from '../chain/decode.ts';
import { finalizeSale, refundSale, reverseSale } from './close.ts';
import { moveLevel } from './levels.ts';
import { expectState, type History, startWalk, type Walk } from './walk.ts';

/**
 * Everything in a sale's events that the protocol does not allow (docs/reference/protocol.md#sales-and-their-split), as
 * sentences: events out of order, refunds that leave a level another amount, a finalization before the end
 * of the hold, a reversal too late or of the wrong levels, a level event that belongs to no other event.
 */
export function historyProblems(history: History): string[] {
  const walk = startWalk(history);
  for (const log of history.events) follow(walk, log);
  for (const { name, args } of walk.open) {
    walk.problems.push(`${name} of level ${args.level} is closed by no event.`);
  }
  return walk.problems;
}

function follow(walk: Walk, log: DecodedLog): void {
  switch (log.name) {
    case 'SaleAttested':
      attestSale(walk, log);
      break;
    case 'SaleRecorded':
      expectState(walk, log, 'unrecorded');
      walk.state = 'pending';
      break;
    case 'RewardReleased':
    case 'RewardVested':
    case 'RewardReversed':
      moveLevel(walk, log);
      break;
    case 'SaleRefunded':
      refundSale(walk, log);
      break;
    case 'SaleFinalized':
      finalizeSale(walk, log);
      break;
    case 'SaleReversed':
      reverseSale(walk, log);
      break;
    default:
      break;
  }
}

/** SaleAttested: must precede its SaleRecorded, in the same transaction. */
function attestSale(walk: Walk, log: DecodedLog<'SaleAttested'>): void {
  expectState(walk, log, 'unrecorded');
  if (walk.attested) walk.problems.push('The sale was attested twice.');
  if (log.location.transactionHash !== walk.history.record.location.transactionHash) {
    walk.problems.push('The sale was attested in another transaction than recorded in.');
  }
  walk.attested = true;
}
