import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { groupDigits, words } from '../../format.ts';
import { type StreamUpdate, useLive } from '../../live.ts';
import type { Receipt } from './arithmetic.ts';

/** Live updates of a receipt. */
export interface LiveReceipt {
  readonly connection: ReturnType<typeof useLive>;
  /** Time of the newest settled block, ISO 8601; `undefined` before the stream sent one. */
  readonly chainTime: string | undefined;
  /** Events of the sale since the page was opened, as a sentence. */
  readonly news: string;
  /** Events that a reorg removed from the sale, as a sentence. */
  readonly removed: string | undefined;
}

/**
 * Follows the sale's campaign, and reads the receipt again when something of it was settled or
 * retracted.
 */
export function useLiveReceipt(receipt: Receipt, queryKey: readonly unknown[]): LiveReceipt {
  const cache = useQueryClient();
  const [chainTime, setChainTime] = useState<string>();
  const connection = useLive(receipt.campaignId, (update) => {
    const heads = headsOf(update);
    if (heads) setChainTime(heads.settled.timestamp);
    if (update.event !== 'head') void cache.invalidateQueries({ queryKey });
  });
  return { connection, chainTime, ...useNews(receipt) };
}

function headsOf(update: StreamUpdate) {
  return update.event === 'hello' || update.event === 'head' ? update.data.heads : undefined;
}

type Transitions = Receipt['transitions'];

/** Events that the newest response has and the previous one has not, and the reverse. */
function useNews({ transitions }: Receipt): Pick<LiveReceipt, 'news' | 'removed'> {
  const last = useRef<Transitions>(transitions);
  const [news, setNews] = useState('');
  const [removed, setRemoved] = useState<string>();
  useEffect(() => {
    const before = last.current;
    last.current = transitions;
    const added = missingIn(before, transitions);
    const retracted = missingIn(transitions, before);
    if (added.length > 0) setNews(`New: ${namesOf(added)}.`);
    if (retracted.length > 0) setRemoved(`A reorg removed: ${namesOf(retracted)}.`);
  }, [transitions]);
  return { news, removed };
}

/** The events of `others` that `events` has not, by the block and log that they stand in. */
function missingIn(events: Transitions, others: Transitions): Transitions {
  const keys = new Set(events.map(locationOf));
  return others.filter((event) => !keys.has(locationOf(event)));
}

function locationOf({ blockHash, logIndex }: Transitions[number]): string {
  return `${blockHash} ${logIndex}`;
}

function namesOf(events: Transitions): string {
  return events
    .map(({ name, blockNumber }) => `${words(name)} in block ${groupDigits(blockNumber)}`)
    .join(', ');
}
