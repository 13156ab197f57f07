import type { Issue } from '../contract/envelope.ts';
import type { Deployment } from '../db/deployment.ts';
import type { Heads } from '../db/heads.ts';
import { readConsistently } from '../db/read/snapshot.ts';
import { readStatus } from '../db/read/status.ts';
import type { AppDeps, ServedDeployment } from './deps.ts';
import { isDatabaseOutage } from './errors.ts';
import { readQueueStats } from './queue-stats.ts';
import { judge, observationsOf } from './watchdogs.ts';

/** Blocks that settlement may be behind the chain and still be of use. */
const LAG_BLOCKS_MOST = 1_000;

/** Why the service cannot serve reads; empty where it can. */
export async function notReadyReasons(deps: AppDeps): Promise<Issue[]> {
  try {
    const [{ value: status }, queue] = await Promise.all([
      readConsistently(deps.pool, async (sql) => ({ value: await readStatus(sql) })),
      readQueueStats(deps),
    ]);
    return [
      ...deploymentReasons(deps.deployment, status.deployment),
      ...settlementReasons(status.heads),
      ...judge(observationsOf(status, queue), deps.stallSeconds).flatMap(({ part, sentence }) =>
        part === null ? [] : [{ path: part, message: sentence }],
      ),
    ];
  } catch (error) {
    // 42P01 and 3F000: the tables are yet to be made.
    if (!isDatabaseOutage(error) && !isCode(error, ['42P01', '3F000'])) throw error;
    return [{ path: 'database', message: 'The database does not answer, or has no ledger.' }];
  }
}

function deploymentReasons(served: ServedDeployment, found: Deployment | undefined): Issue[] {
  const path = 'deployment';
  if (found === undefined) return [{ path, message: 'The ledger has no deployment yet.' }];
  const same =
    found.chainId === served.chainId &&
    found.genesisHash === served.genesisHash &&
    found.contractAddress === served.contractAddress;
  return same ? [] : [{ path, message: 'The ledger is of another chain or contract.' }];
}

function settlementReasons(heads: Heads | undefined): Issue[] {
  const path = 'settlement';
  const settled = heads?.settled?.number;
  if (settled === undefined) {
    return [{ path, message: 'Settlement has not come to its first block yet.' }];
  }
  const lag = (heads?.chainNumber ?? settled) - settled;
  if (lag <= LAG_BLOCKS_MOST) return [];
  return [{ path, message: `Settlement is ${lag} blocks behind the chain.` }];
}

function isCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
