import type { z } from 'zod';
import type { registry } from '../../contract/registry.ts';
import type { ReportRow } from '../../db/commerce/reports.ts';
import type { AppDeps } from '../deps.ts';
import { signLink } from '../files/signed-link.ts';

/** Milliseconds for which a link to a file is valid: an hour. Each list has new links. */
const LINK_MS = 3_600_000;

/** Report as its merchant sees it, with a link to its file if it is ready. */
export function reportOf(
  deps: Pick<AppDeps, 'publicUrl' | 'keys' | 'clock'>,
  report: ReportRow,
): z.infer<typeof registry.reports.export.output> {
  const { range, finishedAt, expiresAt } = report;
  return {
    id: report.id,
    kind: report.kind,
    format: report.format,
    range: range && { from: range.from.toISOString(), to: range.to.toISOString() },
    campaignIds: [...report.campaignIds],
    status: report.status,
    rows: report.rows,
    size: report.size,
    sha256: report.sha256,
    error: report.error,
    createdAt: report.createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    downloadUrl: reportUrl(deps, report),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

/** Link to the file of a report, for its merchant and its team; `null` unless it is ready. */
export function reportUrl(
  { publicUrl, keys, clock }: Pick<AppDeps, 'publicUrl' | 'keys' | 'clock'>,
  {
    id,
    merchant,
    status,
    expiresAt,
  }: Pick<ReportRow, 'id' | 'merchant' | 'expiresAt'> & { readonly status: string },
): string | null {
  if (status !== 'ready' || expiresAt === null) return null;
  const token = signLink(keys, {
    purpose: 'report',
    payload: [id, merchant],
    expiresAt: Math.min(clock() + LINK_MS, expiresAt.getTime()),
  });
  return `${publicUrl}/reports/${token}`;
}
