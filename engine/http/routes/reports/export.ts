import { namesBuyers } from '../../../core/report.ts';
import { KEPT_MOST, OPEN_MOST, orderReport } from '../../../db/commerce/reports.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { newId } from '../../auth/token.ts';
import { UnprocessableError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { readOwnCampaigns } from '../../own-campaigns.ts';
import { reportOf } from '../../render/report.ts';

/**
 * `reports.export`: notes the order, and tells the queue. Kinds whose rows name buyers need a fresh
 * confirmation.
 */
export const exportReport: Handler<'reports.export'> = async (input, deps, { session }) => {
  const { kind, format, range } = input;
  if (namesBuyers(kind)) await requireConfirmation(deps, session, input.confirmationToken);
  const campaignIds = await readLedger(deps.pool, (snapshot) =>
    readOwnCampaigns(snapshot, input.campaignIds ?? [], session.address),
  );
  const report = await orderReport(deps.pool, {
    id: newId(),
    merchant: session.address,
    kind,
    format,
    range: range ? { from: new Date(range.from), to: new Date(range.to) } : null,
    campaignIds,
    createdAt: new Date(deps.clock()),
  });
  if (report === undefined) {
    throw new UnprocessableError(
      `At most ${OPEN_MOST} reports are made at once, and ${KEPT_MOST} are kept: wait for some.`,
    );
  }
  // Not waited for: where the queue is away or forgets, a chore of the worker finds the report.
  deps.jobs
    .pushReport(report.id)
    .catch((error: unknown) => deps.logger.warn({ err: error }, 'the queue takes no report now'));
  return { data: reportOf(deps, report) };
};
