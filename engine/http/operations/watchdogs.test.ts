import { describe, expect, it } from 'vitest';
import type { RpcState } from '../../core/rpc-health.ts';
import type { Heads } from '../../db/heads.ts';
import type { SubjectAlarm } from '../../db/read/system/alarms.ts';
import type { LedgerWatch } from '../../db/read/system/watch.ts';
import { type AlarmName, alarmNames, alarmsOf, type Observations } from './watchdogs.ts';

const now = new Date('2026-01-01T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

const heads: Heads = {
  indexerSchema: 'indexer_test',
  indexerReady: true,
  chainNumber: 120,
  chainTimestamp: 1_000,
  indexedNumber: 110,
  settled: { number: 105, hash: '0x05', timestamp: 900 },
  safeNumber: 80,
  finalizedNumber: 80,
  finalizedHash: '0x50',
  finalizedReplaced: false,
  finalizedTagSeen: false,
  rollingBack: false,
  writes: 1,
};
const watch: LedgerWatch = {
  now,
  headsWrittenAt: ago(1),
  indexedBehindSince: null,
  settledBehindSince: null,
  feederErrors: [],
  rpcs: [],
  relayer: null,
};
const queue = { waiting: 0, active: 0, delayed: 0 };
const none = {
  open: { 'campaign-stopped': 0, discrepancies: 0, 'audit-failed': 0 },
  acknowledged: 0,
};
const well: Observations = { heads, watch, alarms: { open: [], counts: none }, queue };

function withWatch(changes: Partial<LedgerWatch>): Observations {
  return { ...well, watch: { ...watch, ...changes } };
}

/** The second of two RPCs, in a state for so many seconds. */
function rpc(state: RpcState, seconds: number, seenSeconds = 1): Observations {
  const none = { until: null, maxLogBlocks: null, disagreements: 0, disagreedAt: null };
  const common = { part: 'worker', ...none, disagreedAbout: null } as const;
  const seenAt = ago(seenSeconds);
  return withWatch({
    rpcs: [
      { ...common, place: 1, state: 'ok', since: ago(9_000), seenAt },
      { ...common, place: 2, state, since: ago(seconds), seenAt },
    ],
  });
}

/** A relayer that reported so many seconds ago, and whose oldest order has waited for so many. */
function relayer(
  seenSeconds: number,
  waitedSeconds: number | null,
  balance = 10n ** 18n,
): Observations {
  return withWatch({
    relayer: {
      ...{ address: '0x01', seenAt: ago(seenSeconds), balance, maxGas: 1_000_000 },
      ...{ feePerGas: 1_000_000_000n, maxFeePerGas: 50_000_000_000n, sent: 0 },
      waiting: waitedSeconds === null ? 0 : 1,
      oldestAt: waitedSeconds === null ? null : ago(waitedSeconds),
    },
  });
}

function feederError(
  name: LedgerWatch['feederErrors'][number]['name'],
  seconds: number,
): Observations {
  const message = `What was met: ${name}.`;
  return withWatch({ feederErrors: [{ name, message, blockNumber: 7, since: ago(seconds) }] });
}

/** One open alarm about a campaign. */
function about(
  name: SubjectAlarm['name'],
  sentence: string,
  since: Date | null,
  open = 1,
): Observations {
  const key = `${name}/campaign/7`;
  const rest = { campaignId: '7', token: null, merchant: null, level: '1', acknowledged: null };
  const counts = { ...none, open: { ...none.open, [name]: open } };
  return { ...well, alarms: { open: [{ key, name, sentence, since, ...rest }], counts } };
}

describe('the watchdogs', () => {
  it.each<{ when: string; observed: Observations }>([
    { when: 'all is well', observed: well },
    {
      when: 'settlement has not started',
      observed: { ...well, heads: undefined, watch: undefined },
    },
    { when: 'heads are behind and move', observed: withWatch({ indexedBehindSince: ago(59) }) },
    {
      when: 'settlement is behind and moves',
      observed: withWatch({ settledBehindSince: ago(60) }),
    },
    { when: 'signed orders wait, and not for long', observed: relayer(100, 290) },
    { when: 'a relayer was turned off with an empty account', observed: relayer(700, null, 0n) },
    { when: 'an RPC was away for a moment', observed: feederError('rpc', 5) },
    { when: 'facts differed for a moment, as in a reorg', observed: feederError('mismatch', 10) },
    {
      when: 'every alarm about a campaign is acknowledged',
      observed: { ...well, alarms: { open: [], counts: { ...none, acknowledged: 2_000 } } },
    },
    {
      when: 'jobs wait, and not for long',
      observed: { ...well, queue: { ...queue, waiting: 900, oldestMs: 60_000 } },
    },
  ])('reports no alarm if $when', ({ observed }) => {
    expect(alarmsOf(observed)).toEqual([]);
  });

  const barking: {
    name: AlarmName;
    observed: Observations;
    sentence: string;
    part: string | null;
    since: Date | null;
  }[] = [
    {
      name: 'no-worker',
      observed: withWatch({ headsWrittenAt: ago(75), indexedBehindSince: ago(400) }),
      sentence: 'No worker has polled the chain for 75 s.',
      part: 'settlement',
      since: ago(75),
    },
    {
      name: 'rpc-away',
      observed: feederError('rpc', 6),
      sentence: 'What was met: rpc.',
      part: 'chain',
      since: ago(6),
    },
    {
      name: 'rpc-of-other-chain',
      observed: feederError('other-chain', 11),
      sentence: 'What was met: other-chain.',
      part: null,
      since: ago(11),
    },
    {
      name: 'rpc-unwell',
      observed: rpc('unreachable', 61),
      sentence: 'RPC 2 of RPC_URL does not respond: the worker has seen it for 61 s.',
      part: null,
      since: ago(61),
    },
    {
      name: 'relayer-unwell',
      observed: relayer(1, 301),
      sentence: 'A signed order has waited for 301 s: 1 wait to be sent, 0 for a block.',
      part: null,
      since: ago(301),
    },
    {
      name: 'relayer-unwell',
      observed: relayer(121, 1),
      sentence: '1 signed order waits, and no relayer has reported for 121 s.',
      part: null,
      since: ago(121),
    },
    {
      name: 'relayer-unwell',
      observed: relayer(1, null, 999_999_999_999_999n),
      sentence: 'The account of the relayer cannot pay for a transaction.',
      part: null,
      since: null,
    },
    {
      name: 'rpcs-disagree',
      observed: feederError('disagreement', 11),
      sentence: 'What was met: disagreement.',
      part: 'chain',
      since: ago(11),
    },
    {
      name: 'facts-mismatch',
      observed: feederError('mismatch', 3_000),
      sentence: 'What was met: mismatch.',
      part: 'indexer',
      since: ago(3_000),
    },
    {
      name: 'indexer-stalled',
      observed: feederError('orphaned', 3_000),
      sentence: 'What was met: orphaned.',
      part: 'indexer',
      since: ago(3_000),
    },
    {
      name: 'indexer-stalled',
      observed: withWatch({ indexedBehindSince: ago(61) }),
      sentence:
        'The indexer has been at block 110 for 61 s, and the chain is at 120, although the indexer reports that it is ready.',
      part: 'indexer',
      since: ago(61),
    },
    {
      name: 'settlement-stalled',
      observed: withWatch({ settledBehindSince: ago(90) }),
      sentence: 'The settled block has been 105 for 90 s, and the indexed block is 110.',
      part: 'settlement',
      since: ago(90),
    },
    {
      name: 'campaign-stopped',
      observed: about('campaign-stopped', 'Settlement stopped campaign 7: a fact is gone', ago(3)),
      sentence: 'Settlement stopped campaign 7: a fact is gone',
      part: 'settlement',
      since: ago(3),
    },
    {
      name: 'discrepancies',
      observed: about('discrepancies', 'Campaign 7 has 2 discrepancies.', null),
      sentence: 'Campaign 7 has 2 discrepancies.',
      part: null,
      since: null,
    },
    {
      name: 'queue-away',
      observed: { ...well, queue: null },
      sentence: 'The queue of settlement does not answer.',
      part: 'queue',
      since: null,
    },
    {
      name: 'queue-stuck',
      observed: { ...well, queue: { ...queue, waiting: 3, oldestMs: 61_900 } },
      sentence: 'The queue of settlement does not drain: 3 jobs wait, the oldest for 61 s.',
      part: 'queue',
      since: null,
    },
    {
      name: 'audit-failed',
      observed: about('audit-failed', 'The last audit found 1 violation in campaign 7.', ago(500)),
      sentence: 'The last audit found 1 violation in campaign 7.',
      part: 'audit',
      since: ago(500),
    },
  ];

  it.each(barking)('reports $name with its start and its part', ({ observed, ...alarm }) => {
    expect(alarmsOf(observed)).toEqual([{ ...alarm, key: observed.alarms.open[0]?.key ?? null }]);
  });

  it('counts the alarms that are too many to list', () => {
    const alarms = alarmsOf(
      about('campaign-stopped', 'Settlement stopped campaign 7.', ago(3), 5_001),
    );
    expect(alarms.map(({ sentence }) => sentence)).toEqual([
      'Settlement stopped campaign 7.',
      '5000 more alarms about campaigns and tokens are open: see tributary alarms.',
    ]);
    const two = alarmsOf(about('campaign-stopped', 'Settlement stopped campaign 7.', ago(3), 2));
    expect(two[1]?.sentence).toBe(
      '1 more alarm about campaigns and tokens is open: see tributary alarms.',
    );
  });

  it('covers each alarm with a case above', () => {
    expect([...new Set(barking.map(({ name }) => name))]).toEqual([...alarmNames]);
  });

  it.each([
    ['ok', 9_000],
    ['unused', 9_000],
    // It has an alarm of its own.
    ['other-chain', 9_000],
    ['rate-limited', 59],
  ] as const)('reports nothing about an RPC that has been %s for %i s', (state, seconds) => {
    expect(alarmsOf(rpc(state, seconds))).toEqual([]);
  });

  it('reports nothing about an RPC of a part that no longer says what it sees', () => {
    expect(alarmsOf(rpc('refused', 900, 179))).toHaveLength(1);
    expect(alarmsOf(rpc('refused', 900, 181))).toEqual([]);
  });

  it('waits for the configured time', () => {
    const behind = withWatch({ indexedBehindSince: ago(61), settledBehindSince: ago(9) });
    expect(alarmsOf(behind, 600)).toEqual([]);
    expect(alarmsOf(behind, 5).map(({ name }) => name)).toEqual([
      'indexer-stalled',
      'settlement-stalled',
    ]);
  });
});
