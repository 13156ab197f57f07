import type { Heads } from '../db/heads.ts';
import type { StoppedCampaign } from '../db/read/snapshot.ts';
import type { LedgerStatus } from '../db/read/status.ts';
import type { Watch } from '../db/read/watch.ts';
import type { Trouble } from '../db/write/troubles.ts';
import type { QueueStats } from './deps.ts';

/** What can be wrong; what to do about each is in docs/operations.md, «Alarms». */
export const alarmNames = [
  'no-worker',
  'rpc-away',
  'rpcs-disagree',
  'facts-mismatch',
  'indexer-stalled',
  'settlement-stalled',
  'campaign-stopped',
  'discrepancies',
  'queue-away',
  'queue-stuck',
  'audit-failed',
] as const;
export type AlarmName = (typeof alarmNames)[number];

/** Something that needs a person. */
export interface Alarm {
  readonly name: AlarmName;
  readonly sentence: string;
  /** `null` where nobody noted when it began. */
  readonly since: Date | null;
  /** The part of the system that it is about, where it makes the service not ready. */
  readonly part: 'chain' | 'indexer' | 'settlement' | 'queue' | 'audit' | null;
}

/** All that the judgement is made from. */
export interface Observations {
  readonly heads: Heads | undefined;
  /** `undefined` before settlement's first start. */
  readonly watch: Watch | undefined;
  readonly stopped: readonly StoppedCampaign[];
  readonly discrepancies: number;
  /** `null` where the queue does not answer. */
  readonly queue: QueueStats | null;
}

/** Seconds that a head may stand still behind another, unless STALL_SECONDS says otherwise. */
const STALL_SECONDS = 60;

/** Seconds that a trouble may last: shorter ones are reorgs, restarts and hiccups. */
const TROUBLE_SECONDS = 10;

/** Each trouble of the feeder, as an alarm. */
const TROUBLES: Readonly<Record<Trouble['name'], Pick<Alarm, 'name' | 'part'>>> = {
  rpc: { name: 'rpc-away', part: 'chain' },
  disagreement: { name: 'rpcs-disagree', part: 'chain' },
  mismatch: { name: 'facts-mismatch', part: 'indexer' },
  // Lag, not corruption: it goes away when the indexer follows the chain.
  orphaned: { name: 'indexer-stalled', part: 'indexer' },
};

export function observationsOf(status: LedgerStatus, queue: QueueStats | null): Observations {
  const { heads, watch, stopped, discrepancies } = status;
  return { heads, watch, stopped, discrepancies: discrepancies.count, queue };
}

/**
 * What is wrong, in the order in which the data flows: the one place that decides it, for `/ready`,
 * `system.status` and the metrics alike.
 * @param stallSeconds that a head may stand still behind another. The clock starts at the block that
 * it does not come to, so that it need not follow from the chain's block time.
 */
export function judge(seen: Observations, stallSeconds: number = STALL_SECONDS): readonly Alarm[] {
  return [
    ...(seen.watch === undefined ? [] : ofHeads(seen.watch, seen.heads, stallSeconds)),
    ...seen.stopped.map(
      ({ campaignId, reason, since }): Alarm => ({
        name: 'campaign-stopped',
        sentence: `Settlement stopped campaign ${campaignId}: ${reason}`,
        since,
        part: 'settlement',
      }),
    ),
    ...ofDiscrepancies(seen.discrepancies),
    ...ofQueue(seen.queue, stallSeconds),
    ...ofAudit(seen.watch),
  ];
}

function ofHeads(watch: Watch, heads: Heads | undefined, stallSeconds: number): Alarm[] {
  const { now, lookedAt } = watch;
  if (seconds(lookedAt, now) > stallSeconds) {
    const sentence = `No worker has looked at the chain for ${whole(lookedAt, now)} s.`;
    // What it would see now is not known: the rest would be old.
    return [{ name: 'no-worker', sentence, since: lookedAt, part: 'settlement' }];
  }
  const troubles = watch.troubles
    .filter(({ since }) => seconds(since, now) > TROUBLE_SECONDS)
    .map(({ name, message, since }): Alarm => ({ ...TROUBLES[name], sentence: message, since }));
  const stalls = ofStalls(watch, heads, stallSeconds).filter(
    ({ name }) => !troubles.some((trouble) => trouble.name === name),
  );
  return [...troubles, ...stalls];
}

function ofStalls(watch: Watch, heads: Heads | undefined, stallSeconds: number): Alarm[] {
  const { now, indexedBehindSince: indexed, settledBehindSince: settled } = watch;
  const alarms: Alarm[] = [];
  if (indexed !== null && seconds(indexed, now) > stallSeconds) {
    // Ready and still: as after a reorg below its finalized block, of which it says nothing.
    const ready = heads?.indexerReady ? ', though it says that it is ready' : '';
    const sentence = `The indexer stands at block ${heads?.indexedNumber ?? 'none'} for ${whole(indexed, now)} s, and the chain at ${heads?.chainNumber}${ready}.`;
    alarms.push({ name: 'indexer-stalled', sentence, since: indexed, part: 'indexer' });
  }
  if (settled !== null && seconds(settled, now) > stallSeconds) {
    const sentence = `The settled block stands at ${heads?.settled?.number ?? 'none'} for ${whole(settled, now)} s, and the indexed one at ${heads?.indexedNumber}.`;
    alarms.push({ name: 'settlement-stalled', sentence, since: settled, part: 'settlement' });
  }
  return alarms;
}

/** Stays true for good where the contract paid otherwise: it is told, and reads go on. */
function ofDiscrepancies(count: number): Alarm[] {
  if (count === 0) return [];
  const sentence = `There ${count === 1 ? 'is 1 discrepancy' : `are ${count} discrepancies`}.`;
  return [{ name: 'discrepancies', sentence, since: null, part: null }];
}

function ofQueue(queue: QueueStats | null, stallSeconds: number): Alarm[] {
  if (queue === null) {
    const sentence = 'The queue of settlement does not answer.';
    return [{ name: 'queue-away', sentence, since: null, part: 'queue' }];
  }
  const { waiting, oldestMs = null } = queue;
  if (oldestMs === null || oldestMs <= stallSeconds * 1_000) return [];
  const sentence = `The queue of settlement does not drain: ${waiting} jobs wait, the oldest for ${Math.floor(oldestMs / 1_000)} s.`;
  return [{ name: 'queue-stuck', sentence, since: null, part: 'queue' }];
}

function ofAudit(watch: Watch | undefined): Alarm[] {
  const audit = watch?.audit ?? null;
  if (audit === null || audit.violationCount === 0) return [];
  const { violationCount: count, blockNumber, finishedAt: since } = audit;
  const found = count === 1 ? '1 violation' : `${count} violations`;
  const sentence = `The last audit found ${found} at block ${blockNumber}.`;
  return [{ name: 'audit-failed', sentence, since, part: 'audit' }];
}

function seconds(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1_000;
}

function whole(from: Date, to: Date): number {
  return Math.floor(seconds(from, to));
}
