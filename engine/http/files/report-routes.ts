import { type Context, Hono } from 'hono';
import { findReport, type ReportRow } from '../../db/commerce/reports.ts';
import { presentedToken } from '../auth/cookie.ts';
import { sessionOf } from '../auth/session.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { NotFoundError, UnauthenticatedError } from '../errors.ts';
import { networkAddress } from '../network-address.ts';
import type { FileSender } from './send-file.ts';
import { readSignedLink } from './signed-link.ts';

const contentTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
} as const;

/**
 * Files of reports at `/reports/:token`, by the link that `reports.list` signs, for its owner alone:
 * the link says which file for how long, and the session says who asks. Nobody who only finds a link
 * reads what is in it.
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
    throw new UnauthenticatedError('Sign in first: this file is its owner’s alone.');
  }
  await deps.limits.take('session', session.id);
  const now = deps.clock();
  const [id, owner] = readSignedLink(deps.keys, 'report', token, now) ?? [];
  if (id === undefined || owner !== session.address) throw gone();
  const report = await findReport(deps.pool, session.address, id, new Date(now));
  if (report?.status !== 'ready') throw gone();
  return report;
}

function gone(): NotFoundError {
  return new NotFoundError(
    'There is no such file, or the link is out of time: reports.list hands out new ones.',
  );
}
