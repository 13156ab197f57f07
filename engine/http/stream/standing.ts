import type { ChangePage } from '../../db/read/changes.ts';
import { entryOf, type StreamHeads } from './message.ts';
import { Ring } from './ring.ts';
import type { StreamSettings } from './settings.ts';

/** What was read last, for all readers together. */
export interface Standing {
  readonly epoch: string;
  /** Rises where the numbers do not go on from those before. */
  readonly generation: number;
  readonly ring: Ring;
  readonly heads: StreamHeads;
  /** Rises with each other heads. */
  readonly headVersion: number;
  /** Of the oldest change that was kept then. */
  readonly oldest: number | null;
}

/** What stands with a page that was read, which the ring takes in; from anew where it does not follow. */
export function standingAfter(
  before: Standing | undefined,
  { head, changes }: ChangePage,
  heads: StreamHeads,
  settings: StreamSettings,
): Standing {
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
  // Told when all that they have was: readers take a head for the end of what it settles.
  if (same || before.ring.newest < sequence) return { ...before, oldest };
  return { ...before, oldest, heads, headVersion: before.headVersion + 1 };
}

/** Whether a page goes on where the ring ends: no number is left out, and none comes again. */
function follows(ring: Ring, head: ChangePage['head'], changes: ChangePage['changes']): boolean {
  const [first] = changes;
  return first === undefined
    ? head.sequence === ring.newest
    : first.sequence === ring.newest + 1 && head.sequence > ring.newest;
}
