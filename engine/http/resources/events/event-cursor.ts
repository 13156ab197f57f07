import { z } from 'zod';
import type { Hex } from '../../../core/events.ts';
import {
  type ChainMark,
  type ChainPosition,
  marksAtOrBelow,
  newestKnownBlock,
} from '../../../db/read/events/list.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { type CursorScope, cursorId, decodeCursor, encodeCursor } from '../../input/cursor.ts';

/** A block, by height and hash. */
type Mark = Pick<ChainMark, 'blockNumber' | 'blockHash'>;

/** Position of a reader of events. */
export interface EventCursor {
  readonly position: ChainPosition;
  /**
   * Blocks with events at and below the position, newest first: 7 at most. The newest one that the ledger still
   * has is the last block that no reorg replaced, as far as the cursor knows. Empty before the first event.
   */
  readonly marks: readonly Mark[];
  /** The first 100 campaigns that were stopped then. */
  readonly stopped: readonly string[];
}

/** Blocks between the position and its marks: reorgs are short, and a longer one is followed further back. */
const MARK_DISTANCES = [0, 1, 4, 16, 64, 256] as const;

/** Stopped campaigns that a cursor names. */
const MAX_STOPPED = 100;

/** Position before the first event. */
export const BEGINNING: ChainPosition = { blockNumber: 0, logIndex: -1 };

/** Index behind the last log of any block. */
export const LAST_LOG = 2_147_483_647;

const Marks = z.string().regex(/^(?:\d{1,15}:0x[0-9a-f]{64}(?:,\d{1,15}:0x[0-9a-f]{64}){0,6})?$/);
const Stopped = z.string().regex(/^(?:\d{1,19}(?:,\d{1,19}){0,99})?$/);
const Payload = z.tuple([cursorId, z.string().regex(/^-?\d{1,10}$/), Marks, Stopped]);

/** @throws {HttpError} VALIDATION_FAILED naming `after` if it is not one of this list. */
export function readEventCursor(scope: CursorScope): EventCursor | undefined {
  const payload = decodeCursor(scope, Payload);
  if (payload === undefined) return undefined;
  const [blockNumber, logIndex, marks, stopped] = payload;
  return {
    position: {
      blockNumber: Math.min(Number(blockNumber), Number.MAX_SAFE_INTEGER),
      logIndex: Math.min(Number(logIndex), LAST_LOG),
    },
    marks: partsOf(marks).map((mark) => {
      const [number = '', hash = ''] = mark.split(':');
      return { blockNumber: Number(number), blockHash: `0x${hash.slice(2)}` satisfies Hex };
    }),
    stopped: partsOf(stopped),
  };
}

/**
 * Cursor of a reader that has read everything up to a position.
 * @param upTo the block up to which everything was read, or the position of the last event that was read.
 */
export async function writeEventCursor(
  snapshot: Snapshot,
  scope: CursorScope,
  upTo: number | ChainPosition,
): Promise<string> {
  const top = typeof upTo === 'number' ? upTo : upTo.blockNumber;
  const final = snapshot.head.finalizedNumber;
  const heights = MARK_DISTANCES.map((distance) => top - distance).filter((height) => height >= 0);
  const isFinalBelow = final !== null && final < top;
  const found = await marksAtOrBelow(snapshot, [...heights, ...(isFinalBelow ? [final] : [])]);
  // No reorg replaces a final block: nothing below it is needed.
  const firstFinal = found.findIndex((mark) => final !== null && mark.blockNumber <= final);
  const marks = firstFinal === -1 ? found : found.slice(0, firstFinal + 1);
  const position = typeof upTo === 'number' ? (marks[0] ?? BEGINNING) : upTo;
  const stopped = snapshot.head.stopped.slice(0, MAX_STOPPED).map((one) => one.campaignId);
  return encodeCursor(scope, [
    String(position.blockNumber),
    String(position.logIndex),
    marks.map(({ blockNumber, blockHash }) => `${blockNumber}:${blockHash}`).join(','),
    stopped.join(','),
  ]);
}

/**
 * Block above which a reorg replaced events since the cursor was made; `undefined` if it replaced none.
 * -1 if the ledger has none of the blocks that the cursor names.
 */
export async function replacedAfter(
  snapshot: Snapshot,
  { marks }: EventCursor,
): Promise<number | undefined> {
  const [newest] = marks;
  if (newest === undefined) return undefined;
  const known = await newestKnownBlock(snapshot, marks);
  return known === newest.blockNumber ? undefined : (known ?? -1);
}

function partsOf(list: string): string[] {
  return list === '' ? [] : list.split(',');
}
