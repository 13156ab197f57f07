import { type Context, Hono } from 'hono';
import { findReport, type ReportRow } from '../../db/commerce/reports.ts';
import { presentedToken } from '../auth/cookie.ts';
import { sessionOf } from '../auth/session.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError, notFound } from '../errors.ts';
import { networkAddress } from '../network-address.ts';
import type { FileSender } from './send-file.ts';
import { readSignedLink } from './signed-link.ts';

const contentTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
} as const;

/**
 * Route `/reports/:token`: files of reports, by the link that `reports.list` signs, for their owner only. The
 * link names the file and its expiry, and the session identifies the reader: the link alone opens nothing.
 */
export function reportRoutes(deps: AppDeps, sender: FileSender): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/reports/:token', async (c) => {
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
  const session = await sessionOf(deps, presentedToken(c));
  if (session === undefined) {
    throw new HttpError('UNAUTHENTICATED', 'Sign in first: only its owner may read this file.');
  }
  await deps.limits.take('session', session.id);
  const now = deps.clock();
  const [id, owner] = readSignedLink(deps.keys, 'report', token, now) ?? [];
  if (id === undefined || owner !== session.address) throw gone();
  const report = await findReport(deps.pool, session.address, id, new Date(now));
  if (report?.status !== 'ready') throw gone();
  return report;
}

function gone(): HttpError {
  return notFound(
    'There is no such file, or the link has expired: reports.list returns new links.',
  );
}
