import { registry } from '../../contract/registry.ts';
import { type AcrossRequest, Attendance, askAll } from '../across.ts';
import type { GatewayHandler } from '../handler.ts';
import { isSame, nameOf } from '../identity.ts';

/** `deployments.list`: each deployment with its heads, and the root of its ledger. */
export const deployments: GatewayHandler<'deployments'> = async (_input, request) => {
  const attendance = new Attendance();
  const [statuses, roots] = await Promise.all([
    readStatuses(request, attendance),
    // Before the first settled block there is no root, and that is not a missing deployment.
    askAll(request, new Attendance(), registry.system.digest, { limit: 1 }),
  ]);
  const items = statuses.map(({ deployment, data }) => {
    const digest = roots.find((root) => isSame(root.deployment, deployment))?.data;
    const { status, chain, settled, finalized, lag, counts } = data;
    return {
      deployment,
      path: `/d/${nameOf(deployment)}`,
      genesisHash: data.deployment.genesisHash,
      ...{ status, chain, settled, finalized, lag, counts },
      digest: digest === undefined ? null : { block: digest.block, root: digest.root },
    };
  });
  return { data: { items }, deployments: attendance.summary() };
};

const severity = ['ok', 'starting', 'attention'] as const;

/** `deployments.status`: the status of each deployment, the worst of them, and all alarms. */
export const status: GatewayHandler<'status'> = async (_input, request) => {
  const attendance = new Attendance();
  const statuses = await readStatuses(request, attendance);
  const summary = attendance.summary();
  const isMissing = summary.missing.length > 0;
  const worst = severity.findLast((one) => statuses.some(({ data }) => data.status === one));
  return {
    data: {
      status: isMissing ? 'attention' : (worst ?? 'starting'),
      deployments: statuses.map(({ deployment, data }) => ({ deployment, status: data })),
      alarms: statuses.flatMap(({ deployment, data }) =>
        data.alarms.map((alarm) => ({ deployment, alarm })),
      ),
      missing: summary.missing,
    },
    deployments: summary,
  };
};

function readStatuses(request: AcrossRequest, attendance: Attendance) {
  return askAll(request, attendance, registry.system.status, {});
}
