import type { ChainMeta } from '../../../contract/envelope.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Heads } from '../../../db/heads.ts';
import { readConsistently, readHead } from '../../../db/read/snapshot.ts';
import { type LedgerStatus, readStatus } from '../../../db/read/system/status.ts';
import type { StoredRpcHealth } from '../../../db/rows/rpc-health.ts';
import { version } from '../../../version.ts';
import type { AppDeps, QueueStats } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { alarmsOf, observationsOf, readQueueStats } from '../../operations/watchdogs.ts';
import { isoTime } from '../../render/time.ts';
import { isRunning } from '../../resources/relayer/offer.ts';

type Status = OutputOf<MethodOf<'system.status'>>;

/** `system.status`: works before the first settled block too. */
export const status: Handler<'system.status'> = async (_input, deps) => {
  const [{ value: ledger }, queue] = await Promise.all([
    readConsistently(deps.pool, async (sql) => ({ value: await readStatus(sql) })),
    readQueueStats(deps),
  ]);
  return { data: statusOf(deps, ledger, queue), chain: chainOf(deps, ledger) };
};

function statusOf(deps: AppDeps, ledger: LedgerStatus, queue: QueueStats | null): Status {
  const { chainId, contractAddress, genesisHash } = deps.deployment;
  const { heads } = ledger;
  const alarms = alarmsOf(observationsOf(ledger, queue), deps.stallSeconds);
  return {
    status: alarms.length > 0 ? 'attention' : heads?.settled ? 'ok' : 'starting',
    version,
    deployment: { chainId, contractAddress, genesisHash },
    ...headsOf(heads),
    headSeenAt: ledger.headSeenAt?.toISOString() ?? null,
    chainSilentSince: silentSince(ledger)?.toISOString() ?? null,
    counts: { ...ledger.counts },
    queue: queue && { waiting: queue.waiting, active: queue.active, delayed: queue.delayed },
    discrepancies: {
      count: ledger.discrepancies.count,
      campaigns: [...ledger.discrepancies.campaigns],
    },
    stopped: ledger.stopped.map((one) => ({ ...one, since: one.since.toISOString() })),
    alarms: alarms.map(({ sentence }) => sentence),
    acknowledgedAlarms: ledger.alarms.counts.acknowledged,
    lastBackupAt: ledger.lastBackupAt?.toISOString() ?? null,
    relayer: isRunning(ledger.watch?.relayer, deps.clock()),
    rpcs: (ledger.watch?.rpcs ?? []).map(rpcOf),
    ...(deps.replicas && { replicas: [...deps.replicas.states()] }),
  };
}

function rpcOf(rpc: StoredRpcHealth): Status['rpcs'][number] {
  const { disagreements, disagreedAt, disagreedAbout, since, until, seenAt, ...rest } = rpc;
  return {
    ...rest,
    since: since.toISOString(),
    until: until?.toISOString() ?? null,
    disagreements: {
      count: disagreements,
      lastAt: disagreedAt?.toISOString() ?? null,
      lastAbout: disagreedAbout,
    },
    seenAt: seenAt.toISOString(),
  };
}

function silentSince({ watch }: LedgerStatus): Date | undefined {
  return watch?.feederErrors.find(({ name }) => name === 'rpc')?.since;
}

function headsOf(
  heads: Heads | undefined,
): Pick<Status, 'chain' | 'indexed' | 'settled' | 'safe' | 'finalized' | 'lag'> {
  const { chainNumber = null, indexedNumber = null, settled = null } = heads ?? {};
  const time = (seconds: number | null | undefined) => (seconds == null ? null : isoTime(seconds));
  const number = (height: number | null | undefined) => (height == null ? null : String(height));
  return {
    chain: chainNumber === null ? null : block(chainNumber, time(heads?.chainTimestamp)),
    indexed:
      indexedNumber === null
        ? null
        : { number: String(indexedNumber), ready: heads?.indexerReady ?? false },
    settled:
      settled === null
        ? null
        : { ...block(settled.number, time(settled.timestamp)), hash: settled.hash },
    safe: number(heads?.safeNumber),
    finalized: heads?.finalizedReplaced ? null : number(heads?.finalizedNumber),
    lag: {
      indexer: lagOf(chainNumber, indexedNumber),
      settlement: lagOf(indexedNumber, settled?.number ?? null),
      total: lagOf(chainNumber, settled?.number ?? null),
    },
  };
}

function block(height: number, timestamp: string | null) {
  return { number: String(height), timestamp };
}

/** Blocks by which one head is behind another; 0 if it was read later and is ahead. */
function lagOf(front: number | null, back: number | null): number | null {
  return front === null || back === null ? null : Math.max(0, front - back);
}

function chainOf({ deployment }: AppDeps, { heads, stopped }: LedgerStatus): ChainMeta | undefined {
  if (!heads?.settled) return undefined;
  return chainMeta(deployment, readHead(heads, heads.settled, stopped));
}
