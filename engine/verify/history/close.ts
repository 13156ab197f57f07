import { REVERSAL_SECONDS } from '../../core/fold/index.ts';
import { shareAfterRefund } from '../../core/split.ts';
import { byLocation, type DecodedLog } from '../chain/decode.ts';
import { isoTime } from '../receipt-fields.ts';
import { closeLevels } from './levels.ts';
import { expectState, type Level, type Walk } from './walk.ts';

/** SaleRefunded: leaves each level floor(share × (amount − refundedTotal) / amount). */
export function refundSale(walk: Walk, log: DecodedLog<'SaleRefunded'>): void {
  const { record } = walk.history;
  expectState(walk, log, 'pending');
  closeLevels(walk, log, 'RewardReleased');
  const refundedTotal = walk.refundedTotal + log.args.amount;
  if (refundedTotal !== log.args.refundedTotal || refundedTotal > record.args.amount) {
    walk.problems.push(
      `SaleRefunded says ${log.args.refundedTotal} of ${record.args.amount} base units are refunded; its refunds sum to ${refundedTotal}.`,
    );
  }
  if (log.args.buyer !== record.args.buyer) {
    walk.problems.push(`SaleRefunded names buyer ${log.args.buyer}, not ${record.args.buyer}.`);
  }
  walk.refundedTotal = refundedTotal;
  walk.levels.forEach((level, i) => {
    const left = shareAfterRefund(level.share, record.args.amount, refundedTotal);
    if (level.reserved === left) return;
    walk.problems.push(
      `After the refund level ${i + 1} holds ${level.reserved} base units; ${left} should be left.`,
    );
  });
  if (refundedTotal >= record.args.amount) walk.state = 'refunded';
}

/** SaleFinalized: follows the vesting of everything that is held, at or after the end of the hold, and names all refunds. */
export function finalizeSale(walk: Walk, log: DecodedLog<'SaleFinalized'>): void {
  const { record, finalizedAt } = walk.history;
  expectState(walk, log, 'pending');
  closeLevels(walk, log, 'RewardVested');
  if (log.args.refundedTotal !== walk.refundedTotal) {
    walk.problems.push(
      `SaleFinalized says ${log.args.refundedTotal} base units were refunded before; the refunds sum to ${walk.refundedTotal}.`,
    );
  }
  const { holdUntil } = record.args;
  if (typeof finalizedAt === 'number' && finalizedAt < holdUntil) {
    walk.problems.push(
      `The sale was finalized at ${isoTime(finalizedAt)}, before its hold ended at ${isoTime(holdUntil)}.`,
    );
  }
  walk.levels.forEach(({ reserved }, i) => {
    if (reserved <= 0n) return;
    walk.problems.push(`Finalizing left ${reserved} base units of level ${i + 1} unvested.`);
  });
  walk.state = 'finalized';
}

/** SaleReversed: only for an attested sale, up to 2,592,000 s after it was finalized. */
export function reverseSale(walk: Walk, log: DecodedLog<'SaleReversed'>): void {
  const { finalizedAt, reversedAt } = walk.history;
  expectState(walk, log, 'finalized');
  closeLevels(walk, log, 'RewardReversed');
  if (!walk.attested) walk.problems.push('A sale without an attestation was reversed.');
  if (typeof finalizedAt === 'number' && typeof reversedAt === 'number') {
    const seconds = reversedAt - finalizedAt;
    if (seconds > REVERSAL_SECONDS) {
      walk.problems.push(
        `The sale was reversed ${seconds} s after it was finalized; ${REVERSAL_SECONDS} s are allowed.`,
      );
    }
  }
  walk.levels.forEach((level, i) => {
    checkReversed(walk, level, i + 1, log);
  });
  walk.state = 'reversed';
}

/** A level is reversed completely, or not at all if its recipient has claimed since it vested. */
function checkReversed(
  walk: Walk,
  { vested, reversed }: Level,
  level: number,
  log: DecodedLog<'SaleReversed'>,
): void {
  const { claims } = walk.history;
  if (claims === undefined) return;
  const hasClaimed =
    vested !== undefined &&
    claims.some(
      (claim) =>
        claim.args.account === vested.args.recipient &&
        byLocation(claim, vested) > 0 &&
        byLocation(claim, log) < 0,
    );
  const expected = hasClaimed ? 0n : (vested?.args.amount ?? 0n);
  if (reversed === expected) return;
  const why = hasClaimed ? 'its recipient had claimed' : 'its recipient had not claimed';
  walk.problems.push(
    `Level ${level} was reversed by ${reversed} base units; ${why}, so it should be ${expected}.`,
  );
}
