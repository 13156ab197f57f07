import type { Issue } from '../contract/envelope.ts';
import { type Deployment, readDeployment } from '../db/deployment.ts';
import { type Heads, readHeads } from '../db/heads.ts';
import { readConsistently } from '../db/read/snapshot.ts';
import { readStatus } from '../db/read/status.ts';
import type { AppDeps, ServedDeployment } from './deps.ts';
import { isDatabaseOutage } from './errors.ts';
import { readQueueStats } from './queue-stats.ts';
import { shareReading } from './shared-reading.ts';
import { judge, observationsOf } from './watchdogs.ts';

/** Blocks that settlement may be behind the chain before an operator should know. */
const MAX_LAG_BLOCKS = 1_000;

/** Milliseconds that one reading answers all who ask. */
const SHARED_MS = 1_000;

/** Why a service is not ready; an empty list means that it is. */
export interface Readiness {
  /** Why this API cannot serve reads: what a load balancer must know. */
  readonly reads: () => Promise<readonly Issue[]>;
  /** The same, and every alarm for which a person must act: what `/ready?strict=1` answers. */
  readonly strict: () => Promise<readonly Issue[]>;
}

/** Both readings of a process; each costs the database at most one read a second. */
export function makeReadiness(deps: AppDeps): Readiness {
  const reads = shareReading(SHARED_MS, () => orDatabaseAway(deps, () => readsReasons(deps)));
  const attention = shareReading(SHARED_MS, () => orDatabaseAway(deps, () => alarmReasons(deps)));
  const stopping = (): Issue[] =>
    deps.stopping?.() === true ? [{ path: 'process', message: 'This process is stopping.' }] : [];
  return {
    reads: async () => [...stopping(), ...(await reads())],
    strict: async () => {
      const found = await reads();
      // Without a ledger to read there are no alarms to read either.
      return [...stopping(), ...found, ...(found.length > 0 ? [] : await attention())];
    },
  };
}

async function readsReasons({ pool, deployment }: AppDeps): Promise<Issue[]> {
  const [found, heads] = await Promise.all([readDeployment(pool), readHeads(pool)]);
  return [...deploymentReasons(deployment, found), ...settledReasons(heads)];
}

async function alarmReasons(deps: AppDeps): Promise<Issue[]> {
  const [{ value: status }, queue] = await Promise.all([
    readConsistently(deps.pool, async (sql) => ({ value: await readStatus(sql) })),
    readQueueStats(deps),
  ]);
  return [
    ...lagReasons(status.heads),
    ...judge(observationsOf(status, queue), deps.stallSeconds).flatMap(({ part, sentence }) =>
      part === null ? [] : [{ path: part, message: sentence }],
    ),
  ];
}

async function orDatabaseAway(
  { database }: AppDeps,
  read: () => Promise<Issue[]>,
): Promise<Issue[]> {
  try {
    return await (database === undefined ? read() : database.run(read));
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

function settledReasons(heads: Heads | undefined): Issue[] {
  if (heads?.settled) return [];
  return [{ path: 'settlement', message: 'Settlement has not come to its first block yet.' }];
}

function lagReasons(heads: Heads | undefined): Issue[] {
  const settled = heads?.settled?.number ?? 0;
  const lag = (heads?.chainNumber ?? settled) - settled;
  if (lag <= MAX_LAG_BLOCKS) return [];
  return [{ path: 'settlement', message: `Settlement is ${lag} blocks behind the chain.` }];
}

function isCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
