import { countOf } from '../../core/count-of.ts';
import type { DecodedLog } from '../chain/decode.ts';
import type { BlockHeader } from '../chain/reading.ts';
import { conclude } from '../conclude.ts';
import { isoTime } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/** Largest number of later events that a message names; the evidence has all of them. */
const NAMED = 3;

/**
 * Checks that nothing happened to the sale after the block of the receipt, until the newest block of the RPC.
 * The block of a receipt is what its service says: without this check, it could serve a refunded sale as it
 * was before the refund for ever.
 */
export function checkAge(subject: Subject): Check<'age'> {
  const { head, newest, facts } = subject;
  if (head === undefined || newest === undefined) {
    return conclude('age', { pass: '', missing: ['The newest block is not known.'] });
  }
  const distance = distanceBetween(head, newest);
  const { later } = facts;
  return conclude('age', {
    pass: `Nothing has happened to the sale since block ${head.number}${distance}.`,
    problems:
      later.ok && later.value.length > 0
        ? [
            `This receipt is old: it is as of block ${head.number}, and ${eventsOf(later.value)} followed${distance}.`,
          ]
        : [],
    missing: later.ok ? [] : [later.reason],
    evidence: {
      block: head.number.toString(),
      newestBlock: newest.number.toString(),
      newestBlockAt: isoTime(newest.timestamp),
      later: later.ok ? later.value.map(({ name, location }) => ({ name, ...location })) : null,
    },
  });
}

function eventsOf(later: readonly DecodedLog[]): string {
  // An event of a level belongs to the event of its sale that follows it.
  const closing = later.filter(({ args }) => !('level' in args));
  const named = closing
    .slice(0, NAMED)
    .map(({ name, location }) => `${name} in block ${location.blockNumber}`);
  const more = closing.length - NAMED;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Both blocks and the time between them, as the end of a sentence. */
function distanceBetween(head: BlockHeader, newest: BlockHeader): string {
  if (newest.number === head.number) {
    return `, which is the RPC’s newest block (${isoTime(newest.timestamp)})`;
  }
  const blocks = countOf(Number(newest.number - head.number), 'block');
  const seconds = countOf(newest.timestamp - head.timestamp, 'second');
  return ` (${isoTime(head.timestamp)}); the RPC’s newest block is ${newest.number}, ${blocks} and ${seconds} later (${isoTime(newest.timestamp)})`;
}
