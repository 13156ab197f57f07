import type { ChainMeta } from '../../../contract/envelope.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Heads } from '../../../db/heads.ts';
import { readConsistently } from '../../../db/read/snapshot.ts';
import { type LedgerStatus, readStatus } from '../../../db/read/status.ts';
import type { AppDeps, QueueStats } from '../../deps.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { isoTime } from '../../render/time.ts';

type Status = OutputOf<MethodOf<'system.status'>>;

/** Milliseconds that the queue may take to answer. */
const QUEUE_TIMEOUT_MS = 1_000;

/** `system.status`: answers before anything is settled too. */
export const status: Handler<'system.status'> = async (_input, deps) => {
  const [{ value: ledger }, queue] = await Promise.all([
    readConsistently(deps.pool, async (sql) => ({ value: await readStatus(sql) })),
    queueStats(deps),
  ]);
  return { data: statusOf(deps, ledger, queue), chain: chainOf(deps, ledger.heads) };
};

function statusOf(deps: AppDeps, ledger: LedgerStatus, queue: QueueStats | null): Status {
  const { chainId, contractAddress, genesisHash } = deps.deployment;
  const { heads } = ledger;
  const alarms = alarmsOf(ledger, queue);
  return {
    status: alarms.length > 0 ? 'attention' : heads?.settled ? 'ok' : 'starting',
    deployment: { chainId, contractAddress, genesisHash },
    ...headsOf(heads),
    headSeenAt: ledger.headSeenAt?.toISOString() ?? null,
    counts: { ...ledger.counts },
    queue,
    discrepancies: {
      count: ledger.discrepancies.count,
      campaigns: [...ledger.discrepancies.campaigns],
    },
    stopped: ledger.stopped.map((one) => ({ ...one, since: one.since.toISOString() })),
    alarms,
  };
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
    finalized: number(heads?.finalizedNumber),
    lag: {
      indexer: behind(chainNumber, indexedNumber),
      settlement: behind(indexedNumber, settled?.number ?? null),
      total: behind(chainNumber, settled?.number ?? null),
    },
  };
}

function block(height: number, timestamp: string | null) {
  return { number: String(height), timestamp };
}

/** How many blocks one head is behind another; a head that was seen later may be ahead. */
function behind(front: number | null, back: number | null): number | null {
  return front === null || back === null ? null : Math.max(0, front - back);
}

function alarmsOf(ledger: LedgerStatus, queue: QueueStats | null): string[] {
  const { count } = ledger.discrepancies;
  return [
    ...ledger.stopped.map(
      ({ campaignId, reason }) => `Settlement stopped campaign ${campaignId}: ${reason}`,
    ),
    ...(count === 0
      ? []
      : [`There ${count === 1 ? 'is 1 discrepancy' : `are ${count} discrepancies`}.`]),
    ...(queue === null ? ['The queue of settlement does not answer.'] : []),
  ];
}

function chainOf({ deployment }: AppDeps, heads: Heads | undefined): ChainMeta | undefined {
  if (!heads?.settled) return undefined;
  const { safeNumber, finalizedNumber, settled } = heads;
  return chainMeta(deployment, { ...settled, safeNumber, finalizedNumber });
}

/** `null` where the queue does not answer in time. */
async function queueStats({ queueStats, logger }: AppDeps): Promise<QueueStats | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`the queue did not answer within ${QUEUE_TIMEOUT_MS} ms`);
    timer = setTimeout(() => reject(error), QUEUE_TIMEOUT_MS);
  });
  try {
    const { waiting, active, delayed } = await Promise.race([queueStats(), late]);
    return { waiting, active, delayed };
  } catch (err) {
    logger.warn({ err }, 'queue statistics failed');
    return null;
  } finally {
    clearTimeout(timer);
  }
}
