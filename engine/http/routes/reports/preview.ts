import { reportColumns } from '../../../core/report.ts';
import { countReportRows, firstReportRows } from '../../../db/read/reports/index.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { PAGE_LIMIT } from '../../input/cursor.ts';
import { periodOf } from '../../input/period.ts';
import { requireOwnCampaignIds } from '../../resources/campaigns/find-campaign.ts';

/** `reports.preview`: the columns, first rows and row count of a report. */
export const preview: Handler<'reports.preview'> = async (input, deps, { merchant }) => {
  const { kind, limit = PAGE_LIMIT } = input;
  const range = periodOf(input.range) ?? null;
  return await readLedger(deps.pool, async (snapshot) => {
    const campaignIds = await requireOwnCampaignIds(snapshot, input.campaignIds ?? [], merchant);
    const scope = { merchant, campaignIds, range };
    const [rows, totalRows] = await Promise.all([
      firstReportRows(snapshot, kind, scope, limit),
      countReportRows(snapshot, kind, scope),
    ]);
    const columns = reportColumns[kind].map(({ name, description }) => ({ name, description }));
    return {
      data: { columns, rows, totalRows },
      chain: chainMeta(deps.deployment, snapshot.head),
    };
  });
};
