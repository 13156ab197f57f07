import type { Issue } from '../../contract/envelope.ts';
import { type Deployment, readDeployment } from '../../db/deployment.ts';
import { type Heads, readHeads } from '../../db/heads.ts';
import { readConsistently } from '../../db/read/snapshot.ts';
import { readStatus } from '../../db/read/system/status.ts';
import type { AppDeps, ServedDeployment } from '../deps.ts';
import { isDatabaseOutage } from '../failures.ts';
import { alarmsOf, observationsOf, readQueueStats } from './watchdogs.ts';

/** Blocks that settlement may be behind the chain before an operator should know. */
const MAX_LAG_BLOCKS = 1_000;

/** Milliseconds for which one result is shared by all callers. */
const SHARED_MS = 1_000;

/** Reasons why a service is not ready; an empty list means that it is ready. */
export interface Readiness {
  /** Reasons why this API cannot serve reads, for load balancers. */
  readonly reads: () => Promise<readonly Issue[]>;
  /** Reasons why it cannot serve reads, and every alarm that an operator must act on, for `/ready?strict=1`. */
  readonly strict: () => Promise<readonly Issue[]>;
}

/** Creates both checks of a process; each reads the database at most once a second. */
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
    ...alarmsOf(observationsOf(status, queue), deps.stallSeconds).flatMap(({ part, sentence }) =>
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
    // 42P01 and 3F000: the tables do not exist yet.
    if (!isDatabaseOutage(error) && !isCode(error, ['42P01', '3F000'])) throw error;
    return [{ path: 'database', message: 'The database is not answering, or has no ledger.' }];
  }
}

function deploymentReasons(served: ServedDeployment, found: Deployment | undefined): Issue[] {
  const path = 'deployment';
  if (found === undefined) return [{ path, message: 'The ledger has no deployment yet.' }];
  const same =
    found.chainId === served.chainId &&
    found.genesisHash === served.genesisHash &&
    found.contractAddress === served.contractAddress;
  return same ? [] : [{ path, message: 'The ledger belongs to another chain or contract.' }];
}

function settledReasons(heads: Heads | undefined): Issue[] {
  if (heads?.settled) return [];
  return [{ path: 'settlement', message: 'Settlement has not processed its first block yet.' }];
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

/**
 * Wraps a read so that concurrent and later callers share its result or error.
 * @param lastMs milliseconds for which a result is shared, from its arrival.
 */
function shareReading<T>(lastMs: number, read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let until = Number.POSITIVE_INFINITY;
  return () => {
    if (current !== undefined && performance.now() < until) return current;
    until = Number.POSITIVE_INFINITY;
    const reading = read().finally(() => {
      until = performance.now() + lastMs;
    });
    current = reading;
    return reading;
  };
}
