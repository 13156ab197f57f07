import { amountText } from '../../../core/amount-text.ts';
import { MAX_MESSAGES, type TurnAnswer, takeTurn } from '../../../db/commerce/disputes.ts';
import type { DisputeView } from '../../../db/read/disputes/rows.ts';
import { newId } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, type HttpError, unprocessable } from '../../errors.ts';

/** Message or answer of a party of a dispute, or both. */
interface Turn {
  readonly from: 'buyer' | 'merchant';
  readonly answer?: TurnAnswer | undefined;
  /** At most 2000 characters. */
  readonly message?: string | undefined;
}

/**
 * Records a turn of a dispute.
 * @param dispute as the party saw it when it answered.
 * @returns `false` if the buyer withdrew the dispute before the answer: nothing changed.
 * @throws {HttpError} UNPROCESSABLE if the dispute has no room for another message.
 */
export async function recordTurn(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  { id, openedAt }: DisputeView,
  { from, answer, message }: Turn,
): Promise<boolean> {
  const at = new Date(clock());
  const outcome = await takeTurn(pool, {
    id,
    openedAt,
    at,
    ...(answer && { answer }),
    ...(message !== undefined && { message: { id: newId(), from, text: message, at } }),
  });
  if (outcome === 'full') throw tooManyMessages();
  return outcome === 'taken';
}

/** UNPROCESSABLE error of a dispute that has as many messages as it may have. */
export function tooManyMessages(): HttpError {
  return unprocessable(`A dispute has at most ${MAX_MESSAGES} messages.`);
}

/** @throws {HttpError} CONFLICT if the chain has closed the dispute: it can no longer be answered or withdrawn. */
export function requireNotClosed({ status, closedAt, sale }: DisputeView): void {
  if (status !== 'refunded' && status !== 'expired' && closedAt === null) return;
  throw conflict(
    `The chain has closed the dispute: sale ${sale.saleId} is ${sale.state}, and ${amountText(sale.refundedTotal, sale.token)} of it was refunded.`,
  );
}
