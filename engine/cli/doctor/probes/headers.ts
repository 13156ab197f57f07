import { type Ability, has, lacks, unknown } from '../ability.ts';
import type { Answer, Asker } from '../asker.ts';
import { blockIn, blockRequest, type SeenBlock } from '../subject.ts';

/** Blocks that are requested in one batch. */
const BATCH = 10;

/** Requests of a smaller batch: dRPC's free plan allows no more. */
const SMALL_BATCH = 3;

/** Requests the newest blocks in one batch; if that is refused, fewer. */
export async function readHeaders(
  asker: Asker,
  newest: number,
): Promise<{ readonly ability: Ability; readonly headers: readonly SeenBlock[] }> {
  const first = Math.max(0, newest - BATCH + 1);
  const requests = Array.from({ length: newest - first + 1 }, (_, i) => blockRequest(first + i));
  const many = await asker.batch(requests);
  if (many.every(isBlock)) {
    return { ability: has('batches', `${many.length} in one request`), headers: blocksIn(many) };
  }
  const small = await asker.batch(requests.slice(0, SMALL_BATCH));
  if (small.every(isBlock)) {
    const found = `${SMALL_BATCH} in one request; ${requests.length} ${whyOf(many)}`;
    return { ability: fewerOf(many, found), headers: blocksIn([...many, ...small]) };
  }
  const single = await asker.ask('eth_getBlockByNumber', blockRequest(first).params);
  // What is refused for a moment is answered the second time.
  const again = await asker.batch(requests.slice(0, SMALL_BATCH));
  const headers = blocksIn([...many, ...small, single, ...again]);
  if (again.every(isBlock)) {
    return { ability: fewerOf(many, `${SMALL_BATCH} in one request, the second time`), headers };
  }
  return { ability: noneOf(again, single), headers };
}

function fewerOf(many: readonly Answer[], found: string): Ability {
  if (many.some(isRateLimit)) return unknown('batches', found);
  return lacks('batches', found, {
    cost: 'Settlement catches up more slowly: what is refused is requested again in smaller parts.',
  });
}

/** A batch that fails is refused as a batch only if a single request is answered, and not for another reason. */
function noneOf(small: readonly Answer[], single: Answer): Ability {
  const found = `${small.length} in one request ${whyOf(small)}`;
  const isKnown = isBlock(single) && small.some(isOfBatch);
  if (!isKnown) return unknown('batches', found);
  return lacks('batches', found, {
    cost: 'Settlement catches up more slowly: it sends each request alone.',
  });
}

function whyOf(answers: readonly Answer[]): string {
  const failed = answers.find((one) => one.kind !== 'value');
  if (failed === undefined) return 'have answers that are no blocks';
  return `fail: it ${failed.reason}`;
}

function blocksIn(answers: readonly Answer[]): SeenBlock[] {
  const byNumber = new Map(answers.map(blockIn).flatMap((one) => (one ? [[one.number, one]] : [])));
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

function isBlock(answer: Answer): boolean {
  return blockIn(answer) !== undefined;
}

/** True for a refusal that may be about the batch: no time-out, fault of a server or limit of the rate. */
function isOfBatch(answer: Answer): boolean {
  if (answer.kind !== 'unknown') return answer.kind === 'no';
  return !answer.isRateLimit && /^(?:refused|answered HTTP 4)/.test(answer.reason);
}

function isRateLimit(answer: Answer): boolean {
  return answer.kind === 'unknown' && answer.isRateLimit;
}
