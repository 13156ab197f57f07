import { type Context, Hono } from 'hono';
import { registry } from '../../contract/registry.ts';
import type { Address } from '../../core/events.ts';
import { findReport, type ReportRow } from '../../db/commerce/reports.ts';
import { mayActFor } from '../auth/actor.ts';
import { authenticate } from '../auth/guard.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { type HttpError, notFound } from '../errors.ts';
import { networkAddress } from '../network-address.ts';
import { applied } from '../response-headers.ts';
import type { FileSender } from './send-file.ts';
import { readSignedLink } from './signed-link.ts';

const contentTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
} as const;

/** Who may list reports may also read their files. */
const { list } = registry.reports;

/**
 * Route `/reports/:token`: files of reports, by the link that `reports.list` signs, for the merchant that ordered
 * it and its team only. The link names the file and its expiry, and the session or the API key identifies the
 * reader: the link alone opens nothing.
 */
export function reportRoutes(deps: AppDeps, sender: FileSender): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/reports/:token', applied, async (c) => {
    const report = await requestedReport(c, c.req.param('token'), deps);
    const { id, kind, format, size, fileKey } = report;
    if (fileKey === null || size === null) throw gone();
    const headers = {
      'cache-control': 'no-store',
      'content-type': contentTypes[format],
      'content-disposition': `attachment; filename="${kind}-${id}.${format}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    };
    return await sender.send(c, { key: fileKey, size, headers, missing: gone });
  });
  return app;
}

async function requestedReport(
  c: Context<AppEnv>,
  token: string,
  deps: AppDeps,
): Promise<ReportRow> {
  await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
  const { account, key } = await authenticate(c, list, deps);
  const now = deps.clock();
  const [id, owner] = readSignedLink(deps.keys, 'report', token, now) ?? [];
  if (id === undefined || owner === undefined || account === undefined) throw gone();
  // The link is signed by this service, which wrote the merchant's address into it.
  const merchant = owner as Address;
  if (key !== undefined && key.merchant !== merchant) throw gone();
  if (!(await mayActFor(deps, list, account, merchant))) throw gone();
  const report = await findReport(deps.pool, merchant, id, new Date(now));
  if (report?.status !== 'ready') throw gone();
  return report;
}

function gone(): HttpError {
  return notFound(
    'There is no such file, or the link has expired: reports.list returns new links.',
  );
}
