import { registry } from '../../contract/registry.ts';
import { HttpError } from '../../http/errors.ts';
import { Attendance, headersOf } from '../across.ts';
import { NoAnswer } from '../answers.ts';
import type { GatewayHandler } from '../handler.ts';

/** `earnings.summary`: earnings at each deployment at which the caller is signed in, never added over deployments. */
export const earnings: GatewayHandler<'earnings'> = async (_input, request) => {
  const { directory, hasSession, headersFor } = request;
  const attendance = new Attendance();
  const signedIn = directory.all.filter(
    ({ identity, isDeclared }) => identity && hasSession({ identity, isDeclared }),
  );
  if (signedIn.length === 0) {
    throw new HttpError(
      'UNAUTHENTICATED',
      'Sign in first, at one of the deployments or at several.',
    );
  }
  for (const deployment of directory.all) {
    if (signedIn.includes(deployment)) continue;
    attendance.miss(
      deployment,
      new NoAnswer('UNAUTHENTICATED', 'The caller is not signed in there.'),
    );
  }
  const found = await Promise.all(
    signedIn.map(async (one) => {
      const headers = headersOf(one, headersFor);
      const [session, summary] = await Promise.all([
        attendance.note(one, () => one.call(registry.auth.session, {}, headers)),
        attendance.note(one, () => one.call(registry.earnings.summary, {}, headers)),
      ]);
      return session && summary ? [{ account: session.data.address, ...summary }] : [];
    }),
  );
  const answers = found.flat();
  const releases = answers.flatMap(({ data }) => data.nextReleaseAt ?? []);
  return {
    data: {
      byToken: answers.flatMap(({ deployment, data }) =>
        data.byToken.map((one) => ({ ...one, deployment })),
      ),
      links: sum(answers.map(({ data }) => data.links)),
      claimableCampaigns: sum(answers.map(({ data }) => data.claimableCampaigns)),
      nextReleaseAt: releases.sort((a, b) => Date.parse(a) - Date.parse(b))[0] ?? null,
      accounts: answers.map(({ deployment, account }) => ({ deployment, account })),
    },
    deployments: attendance.summary(),
  };
};

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
