import type { ChangePage } from '../../db/read/system/changes.ts';
import { entryOf, type StreamHeads } from './message.ts';
import { Ring } from './ring.ts';
import type { StreamSettings } from './settings.ts';

/** State of the feed after the newest read, shared by all readers. */
export interface FeedState {
  readonly epoch: string;
  /** Rises when the sequence numbers do not continue the previous ones. */
  readonly generation: number;
  readonly ring: Ring;
  readonly heads: StreamHeads;
  /** Rises when the heads change. */
  readonly headVersion: number;
  /** Sequence number of the oldest stored change; `null` if there is none. */
  readonly oldest: number | null;
}

/** Feed state after a page of changes, which is added to the ring; a new ring if the page does not follow. */
export function nextFeedState(
  before: FeedState | undefined,
  { head, changes }: ChangePage,
  heads: StreamHeads,
  settings: StreamSettings,
): FeedState {
  const { epoch, sequence, oldest } = head;
  if (before === undefined || before.epoch !== epoch || !follows(before.ring, head, changes)) {
    return {
      epoch,
      generation: (before?.generation ?? 0) + 1,
      ring: new Ring(settings, sequence),
      heads,
      headVersion: (before?.headVersion ?? 0) + 1,
      oldest,
    };
  }
  before.ring.add(changes.map((change) => entryOf(epoch, change)));
  const same = JSON.stringify(before.heads) === JSON.stringify(heads);
  // Publish a head only after all its changes were published.
  if (same || before.ring.newest < sequence) return { ...before, oldest };
  return { ...before, oldest, heads, headVersion: before.headVersion + 1 };
}

/** True if a page continues the ring: no sequence number is missing or repeated. */
function follows(ring: Ring, head: ChangePage['head'], changes: ChangePage['changes']): boolean {
  const [first] = changes;
  return first === undefined
    ? head.sequence === ring.newest
    : first.sequence === ring.newest + 1 && head.sequence > ring.newest;
}
