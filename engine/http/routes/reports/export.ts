import { namesBuyers } from '../../../core/report.ts';
import { MAX_OPEN, MAX_STORED, orderReport } from '../../../db/commerce/reports.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { newId } from '../../auth/token.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { reportOf } from '../../render/report.ts';
import { requireOwnCampaignIds } from '../../resources/campaigns/find-campaign.ts';

/**
 * `reports.export`: records the request and queues it. Kinds whose rows name buyers need a fresh confirmation.
 */
export const exportReport: Handler<'reports.export'> = async (
  input,
  deps,
  { merchant, session },
) => {
  const { kind, format, range } = input;
  if (namesBuyers(kind)) await requireConfirmation(deps, session, input.confirmationToken);
  const campaignIds = await readLedger(deps.pool, (snapshot) =>
    requireOwnCampaignIds(snapshot, input.campaignIds ?? [], merchant),
  );
  const report = await orderReport(deps.pool, {
    id: newId(),
    merchant,
    kind,
    format,
    range: range ? { from: new Date(range.from), to: new Date(range.to) } : null,
    campaignIds,
    createdAt: new Date(deps.clock()),
  });
  if (report === undefined) {
    throw unprocessable(
      `At most ${MAX_OPEN} reports are computed concurrently, and ${MAX_STORED} are stored: try again later.`,
    );
  }
  // Not awaited: if the queue is away or loses the job, a chore of the worker finds the report.
  deps.jobs
    .pushReport(report.id)
    .catch((error: unknown) => deps.logger.warn({ err: error }, 'the queue accepts no report now'));
  return { data: reportOf(deps, report) };
};
