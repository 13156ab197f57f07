import { describe, expect, it } from 'vitest';
import type { Heads } from '../db/heads.ts';
import type { Watch } from '../db/read/watch.ts';
import { type AlarmName, alarmNames, judge, type Observations } from './watchdogs.ts';

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
  rollingBack: false,
  looks: 1,
};
const watch: Watch = {
  now,
  lookedAt: ago(1),
  indexedBehindSince: null,
  settledBehindSince: null,
  troubles: [],
  audit: null,
};
const queue = { waiting: 0, active: 0, delayed: 0 };
const well: Observations = { heads, watch, stopped: [], discrepancies: 0, queue };

function seen(changes: Partial<Watch>): Observations {
  return { ...well, watch: { ...watch, ...changes } };
}

function trouble(name: Watch['troubles'][number]['name'], seconds: number): Observations {
  const message = `What was met: ${name}.`;
  return seen({ troubles: [{ name, message, blockNumber: 7, since: ago(seconds) }] });
}

const audit = { violationCount: 0, blockNumber: 100, finishedAt: ago(500) };

describe('the watchdogs', () => {
  it.each<{ when: string; observed: Observations }>([
    { when: 'all is well', observed: well },
    {
      when: 'settlement has not started',
      observed: { ...well, heads: undefined, watch: undefined },
    },
    { when: 'heads are behind and move', observed: seen({ indexedBehindSince: ago(59) }) },
    { when: 'settlement is behind and moves', observed: seen({ settledBehindSince: ago(60) }) },
    { when: 'an RPC was away for a moment', observed: trouble('rpc', 9) },
    { when: 'facts differed for a moment, as in a reorg', observed: trouble('mismatch', 10) },
    { when: 'the last audit found nothing', observed: seen({ audit }) },
    {
      when: 'jobs wait, and not for long',
      observed: { ...well, queue: { ...queue, waiting: 900, oldestMs: 60_000 } },
    },
  ])('keep still where $when', ({ observed }) => {
    expect(judge(observed)).toEqual([]);
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
      observed: seen({ lookedAt: ago(75), indexedBehindSince: ago(400) }),
      sentence: 'No worker has looked at the chain for 75 s.',
      part: 'settlement',
      since: ago(75),
    },
    {
      name: 'rpc-away',
      observed: trouble('rpc', 11),
      sentence: 'What was met: rpc.',
      part: 'chain',
      since: ago(11),
    },
    {
      name: 'rpcs-disagree',
      observed: trouble('disagreement', 11),
      sentence: 'What was met: disagreement.',
      part: 'chain',
      since: ago(11),
    },
    {
      name: 'facts-mismatch',
      observed: trouble('mismatch', 3_000),
      sentence: 'What was met: mismatch.',
      part: 'indexer',
      since: ago(3_000),
    },
    {
      name: 'indexer-stalled',
      observed: trouble('orphaned', 3_000),
      sentence: 'What was met: orphaned.',
      part: 'indexer',
      since: ago(3_000),
    },
    {
      name: 'indexer-stalled',
      observed: seen({ indexedBehindSince: ago(61) }),
      sentence:
        'The indexer stands at block 110 for 61 s, and the chain at 120, though it says that it is ready.',
      part: 'indexer',
      since: ago(61),
    },
    {
      name: 'settlement-stalled',
      observed: seen({ settledBehindSince: ago(90) }),
      sentence: 'The settled block stands at 105 for 90 s, and the indexed one at 110.',
      part: 'settlement',
      since: ago(90),
    },
    {
      name: 'campaign-stopped',
      observed: {
        ...well,
        stopped: [{ campaignId: '7', since: ago(3), reason: 'a fact is gone' }],
      },
      sentence: 'Settlement stopped campaign 7: a fact is gone',
      part: 'settlement',
      since: ago(3),
    },
    {
      name: 'discrepancies',
      observed: { ...well, discrepancies: 2 },
      sentence: 'There are 2 discrepancies.',
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
      observed: seen({ audit: { ...audit, violationCount: 1 } }),
      sentence: 'The last audit found 1 violation at block 100.',
      part: 'audit',
      since: audit.finishedAt,
    },
  ];

  it.each(barking)('say $name, since when, and of which part', ({ observed, ...alarm }) => {
    expect(judge(observed)).toEqual([alarm]);
  });

  it('have a case above for each alarm that there is', () => {
    expect([...new Set(barking.map(({ name }) => name))]).toEqual([...alarmNames]);
  });

  it('wait as long as the operator says', () => {
    const behind = seen({ indexedBehindSince: ago(61), settledBehindSince: ago(9) });
    expect(judge(behind, 600)).toEqual([]);
    expect(judge(behind, 5).map(({ name }) => name)).toEqual([
      'indexer-stalled',
      'settlement-stalled',
    ]);
  });
});
