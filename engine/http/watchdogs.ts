import type { Heads } from '../db/heads.ts';
import type { SubjectAlarmName } from '../db/read/alarms.ts';
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
  /** By which an operator acknowledges it; `null` for an alarm about the whole service, which cannot be. */
  readonly key: string | null;
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
  /** Alarms about single campaigns and tokens that nobody has acknowledged. */
  readonly alarms: LedgerStatus['alarms'];
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
  const { heads, watch, alarms } = status;
  return { heads, watch, alarms, queue };
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
    ...ofSubjects(seen.alarms),
    ...ofQueue(seen.queue, stallSeconds),
  ];
}

function ofHeads(watch: Watch, heads: Heads | undefined, stallSeconds: number): Alarm[] {
  const { now, lookedAt } = watch;
  if (seconds(lookedAt, now) > stallSeconds) {
    const sentence = `No worker has looked at the chain for ${whole(lookedAt, now)} s.`;
    // What it would see now is not known: the rest would be old.
    return [{ key: null, name: 'no-worker', sentence, since: lookedAt, part: 'settlement' }];
  }
  const troubles = watch.troubles
    .filter(({ since }) => seconds(since, now) > TROUBLE_SECONDS)
    .map(
      ({ name, message, since }): Alarm => ({
        key: null,
        ...TROUBLES[name],
        sentence: message,
        since,
      }),
    );
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
    alarms.push({ key: null, name: 'indexer-stalled', sentence, since: indexed, part: 'indexer' });
  }
  if (settled !== null && seconds(settled, now) > stallSeconds) {
    const sentence = `The settled block stands at ${heads?.settled?.number ?? 'none'} for ${whole(settled, now)} s, and the indexed one at ${heads?.indexedNumber}.`;
    alarms.push({
      key: null,
      name: 'settlement-stalled',
      sentence,
      since: settled,
      part: 'settlement',
    });
  }
  return alarms;
}

/** The part that an alarm about a campaign or token is of; discrepancies stay for good, and reads go on. */
const SUBJECT_PARTS: Readonly<Record<SubjectAlarmName, Alarm['part']>> = {
  'campaign-stopped': 'settlement',
  discrepancies: null,
  'audit-failed': 'audit',
};

/** Those that are listed, and one more that counts the others: a stranger may cause thousands. */
function ofSubjects({ open, counts }: Observations['alarms']): Alarm[] {
  const listed = open.map(
    ({ key, name, sentence, since }): Alarm => ({
      ...{ key, name, sentence, since },
      part: SUBJECT_PARTS[name],
    }),
  );
  const others = Object.values(counts.open).reduce((sum, count) => sum + count, 0) - listed.length;
  const [first] = listed;
  if (others <= 0 || first === undefined) return listed;
  const sentence = `${others} more alarms about campaigns and tokens are open: see tributary alarms.`;
  return [...listed, { ...first, key: null, sentence }];
}

function ofQueue(queue: QueueStats | null, stallSeconds: number): Alarm[] {
  if (queue === null) {
    const sentence = 'The queue of settlement does not answer.';
    return [{ key: null, name: 'queue-away', sentence, since: null, part: 'queue' }];
  }
  const { waiting, oldestMs = null } = queue;
  if (oldestMs === null || oldestMs <= stallSeconds * 1_000) return [];
  const sentence = `The queue of settlement does not drain: ${waiting} jobs wait, the oldest for ${Math.floor(oldestMs / 1_000)} s.`;
  return [{ key: null, name: 'queue-stuck', sentence, since: null, part: 'queue' }];
}

function seconds(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1_000;
}

function whole(from: Date, to: Date): number {
  return Math.floor(seconds(from, to));
}
