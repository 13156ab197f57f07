import { countOf } from '../../core/count-of.ts';
import { describeRpc, type RpcState } from '../../core/rpc-health.ts';
import type { Heads } from '../../db/heads.ts';
import type { SubjectAlarmName } from '../../db/read/system/alarms.ts';
import { type RelayerWatch, transactionsLeft } from '../../db/read/system/relayer.ts';
import type { LedgerStatus } from '../../db/read/system/status.ts';
import type { LedgerWatch } from '../../db/read/system/watch.ts';
import type { FeederError } from '../../db/rows/feeder-error.ts';
import type { AppDeps, QueueStats } from '../deps.ts';
import { withTimeout } from '../limits/with-timeout.ts';

/** Names of all alarms; docs/operate/alarms.md#alarms says what to do about each. */
export const alarmNames = [
  'no-worker',
  'rpc-away',
  'rpc-of-other-chain',
  'rpc-unwell',
  'relayer-unwell',
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

/** Problem that an operator must act on. */
export interface Alarm {
  /** Key to acknowledge the alarm; `null` for an alarm about the whole service, which cannot be acknowledged. */
  readonly key: string | null;
  readonly name: AlarmName;
  readonly sentence: string;
  /** Start of the alarm; `null` if it is not known. */
  readonly since: Date | null;
  /** Part of the system that is not ready; `null` if the service stays ready. */
  readonly part: 'chain' | 'indexer' | 'settlement' | 'queue' | 'audit' | null;
}

/** Facts that decide about alarms. */
export interface Observations {
  readonly heads: Heads | undefined;
  /** State of the feeder; `undefined` before settlement's first start. */
  readonly watch: LedgerWatch | undefined;
  /** Open alarms about single campaigns and tokens. */
  readonly alarms: LedgerStatus['alarms'];
  /** Statistics of the queue; `null` if it does not answer. */
  readonly queue: QueueStats | null;
}

/** Seconds that a head may stay behind another without moving, unless configured. */
const STALL_SECONDS = 60;

/**
 * Alarm of each error of the feeder, and the seconds after which it is one: shorter errors are reorgs and
 * restarts. A silent RPC is known only after its timeout of 5 s, and readers are to see it within 10 s.
 */
const ALARM_OF_ERROR: Readonly<
  Record<FeederError['name'], Pick<Alarm, 'name' | 'part'> & { readonly afterSeconds: number }>
> = {
  rpc: { name: 'rpc-away', part: 'chain', afterSeconds: 5 },
  'other-chain': { name: 'rpc-of-other-chain', part: null, afterSeconds: 10 },
  disagreement: { name: 'rpcs-disagree', part: 'chain', afterSeconds: 10 },
  mismatch: { name: 'facts-mismatch', part: 'indexer', afterSeconds: 10 },
  // Lag, not corruption: it ends when the indexer catches up with the chain.
  orphaned: { name: 'indexer-stalled', part: 'indexer', afterSeconds: 10 },
};

export function observationsOf(status: LedgerStatus, queue: QueueStats | null): Observations {
  const { heads, watch, alarms } = status;
  return { heads, watch, alarms, queue };
}

/**
 * All alarms, in the order in which the data flows. Only this function decides about alarms, for `/ready`,
 * `system.status` and the metrics.
 * @param stallSeconds seconds that a head may stay behind another. The time starts with the block that the
 * head does not reach, so it does not depend on the chain's block time.
 */
export function alarmsOf(
  observed: Observations,
  stallSeconds: number = STALL_SECONDS,
): readonly Alarm[] {
  return [
    ...(observed.watch === undefined ? [] : ofHeads(observed.watch, observed.heads, stallSeconds)),
    ...ofSubjects(observed.alarms),
    ...ofQueue(observed.queue, stallSeconds),
  ];
}

function ofHeads(watch: LedgerWatch, heads: Heads | undefined, stallSeconds: number): Alarm[] {
  const { now, headsWrittenAt } = watch;
  if (seconds(headsWrittenAt, now) > stallSeconds) {
    const sentence = `No worker has polled the chain for ${whole(headsWrittenAt, now)} s.`;
    // The other facts are outdated without a worker.
    return [{ key: null, name: 'no-worker', sentence, since: headsWrittenAt, part: 'settlement' }];
  }
  const errors = watch.feederErrors
    .filter(({ name, since }) => seconds(since, now) > ALARM_OF_ERROR[name].afterSeconds)
    .map(({ name: error, message, since }): Alarm => {
      const { name, part } = ALARM_OF_ERROR[error];
      return { key: null, name, part, sentence: message, since };
    });
  const stalls = ofStalls(watch, heads, stallSeconds).filter(
    ({ name }) => !errors.some((error) => error.name === name),
  );
  return [...errors, ...ofRpcs(watch), ...ofRelayer(watch.relayer, now), ...stalls];
}

/** Seconds that an RPC may be in a bad state before it is an alarm, and after which nothing is known of it. */
const RPC_UNWELL_SECONDS = 60;
const RPC_KNOWN_SECONDS = 180;

/** States of an RPC that are an alarm. One of another chain has an alarm of its own. */
const UNWELL: ReadonlySet<RpcState> = new Set(['rate-limited', 'refused', 'unreachable', 'behind']);

function ofRpcs({ now, rpcs }: LedgerWatch): Alarm[] {
  return rpcs
    .filter(({ state, since, seenAt }) => {
      const isLong = UNWELL.has(state) && seconds(since, now) > RPC_UNWELL_SECONDS;
      return isLong && seconds(seenAt, now) < RPC_KNOWN_SECONDS;
    })
    .map((rpc): Alarm => {
      const sentence = `${describeRpc(rpc)}: the ${rpc.part} has seen it for ${whole(rpc.since, now)} s.`;
      return { key: null, name: 'rpc-unwell', sentence, since: rpc.since, part: null };
    });
}

/** Seconds that an order may wait, that a relayer may be silent while one does, and after which it counts as turned off. */
const ORDER_WAITS_SECONDS = 300;
const RELAYER_SILENT_SECONDS = 120;
const RELAYER_OFF_SECONDS = 600;

function ofRelayer(relayer: RelayerWatch | null, now: Date): Alarm[] {
  if (relayer === null) return [];
  const { seenAt, oldestAt, waiting, sent } = relayer;
  const alarm = (sentence: string, since: Date | null): Alarm[] => [
    { key: null, name: 'relayer-unwell', sentence, since, part: null },
  ];
  if (oldestAt !== null && seconds(seenAt, now) > RELAYER_SILENT_SECONDS) {
    return alarm(
      `${countOf(waiting + sent, 'signed order waits', 'signed orders wait')}, and no relayer has reported for ${whole(seenAt, now)} s.`,
      seenAt,
    );
  }
  if (transactionsLeft(relayer) === 0 && seconds(seenAt, now) < RELAYER_OFF_SECONDS) {
    return alarm('The account of the relayer cannot pay for a transaction.', null);
  }
  if (oldestAt === null || seconds(oldestAt, now) <= ORDER_WAITS_SECONDS) return [];
  return alarm(
    `A signed order has waited for ${whole(oldestAt, now)} s: ${waiting} wait to be sent, ${sent} for a block.`,
    oldestAt,
  );
}

function ofStalls(watch: LedgerWatch, heads: Heads | undefined, stallSeconds: number): Alarm[] {
  const { now, indexedBehindSince: indexed, settledBehindSince: settled } = watch;
  const alarms: Alarm[] = [];
  if (indexed !== null && seconds(indexed, now) > stallSeconds) {
    // Ready but not moving: this happens after a reorg below its finalized block, which it does not report.
    const ready = heads?.indexerReady ? ', although the indexer reports that it is ready' : '';
    const sentence = `The indexer has been at block ${heads?.indexedNumber ?? 'none'} for ${whole(indexed, now)} s, and the chain is at ${heads?.chainNumber}${ready}.`;
    alarms.push({ key: null, name: 'indexer-stalled', sentence, since: indexed, part: 'indexer' });
  }
  if (settled !== null && seconds(settled, now) > stallSeconds) {
    const sentence = `The settled block has been ${heads?.settled?.number ?? 'none'} for ${whole(settled, now)} s, and the indexed block is ${heads?.indexedNumber}.`;
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

/** Part that an alarm about a campaign or token belongs to. Discrepancies are permanent, and reads continue. */
const SUBJECT_PARTS: Readonly<Record<SubjectAlarmName, Alarm['part']>> = {
  'campaign-stopped': 'settlement',
  discrepancies: null,
  'audit-failed': 'audit',
};

/** Listed alarms, and one that counts the rest: a stranger can cause thousands. */
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
  const sentence = `${countOf(others, 'more alarm about campaigns and tokens is', 'more alarms about campaigns and tokens are')} open: see tributary alarms.`;
  return [...listed, { ...first, key: null, sentence }];
}

function ofQueue(queue: QueueStats | null, stallSeconds: number): Alarm[] {
  if (queue === null) {
    const sentence = 'The queue of settlement does not answer.';
    return [{ key: null, name: 'queue-away', sentence, since: null, part: 'queue' }];
  }
  const { waiting, oldestMs = null } = queue;
  if (oldestMs === null || oldestMs <= stallSeconds * 1_000) return [];
  const sentence = `The queue of settlement does not drain: ${countOf(waiting, 'job waits', 'jobs wait')}, the oldest for ${Math.floor(oldestMs / 1_000)} s.`;
  return [{ key: null, name: 'queue-stuck', sentence, since: null, part: 'queue' }];
}

function seconds(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1_000;
}

function whole(from: Date, to: Date): number {
  return Math.floor(seconds(from, to));
}

/** Milliseconds that the queue may take to answer. */
const QUEUE_TIMEOUT_MS = 1_000;

/** Statistics of settlement's queue; `null` if it does not answer within a second. */
export async function readQueueStats(
  deps: Pick<AppDeps, 'queueStats' | 'logger'>,
): Promise<QueueStats | null> {
  try {
    return await withTimeout(deps.queueStats(), QUEUE_TIMEOUT_MS);
  } catch (err) {
    deps.logger.warn({ err }, 'queue statistics failed');
    return null;
  }
}
