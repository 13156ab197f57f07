import { TimeoutError } from 'viem';
import {
  IncompleteAnswerError,
  isRateLimited,
  isRefusedByHttp,
  isTimeout,
  isUnanswered,
  refusalOf,
} from './errors.ts';
import { PartSize } from './part-size.ts';
import type { Patience } from './patience.ts';
import { RpcDisagreementError } from './quorum.ts';

/** Part of the longest silence after which a response counts as slow: the next request asks for less. */
const SLOW_PART = 0.4;

/** Time after which what was found is returned, as a multiple of the longest silence. */
const CALL_SILENCES = 4;

/** How much one request of `inParts` asks for. */
export interface PartLimits {
  /** Blocks of one request at most, and at first. */
  readonly maxBlocks: number;
  readonly firstBlocks: number;
  /** Findings of one response above which the next request asks for less. */
  readonly manyFound: number;
}

/** Findings of a request for a range of blocks, up to a block. */
interface FoundUpTo<T> {
  readonly to: number;
  readonly found: readonly T[];
}

/**
 * Splits a request for a range of blocks into parts. Their size follows what a response can hold and how fast it comes.
 * If a part fails, or much was found or waited for, what was found before is returned: the caller records it, and asks
 * for the rest. Only a refusal that is surely about the size is followed by a smaller request immediately: every other
 * one by none before the next tick. So each call finds something, or the next asks for less or waits longer.
 * @param refusalOf the meaning of a failed request for the number of blocks.
 */
export function inParts<T>(
  { maxBlocks, firstBlocks, manyFound }: PartLimits,
  patience: Patience,
  refusalOf: (error: unknown) => PartRefusal,
  ask: (from: number, to: number) => Promise<readonly T[]>,
): (from: number, to: number) => Promise<FoundUpTo<T>> {
  const size = new PartSize(maxBlocks, firstBlocks);
  return async (from, to) => {
    const found: T[] = [];
    const slowMs = SLOW_PART * patience.silenceMs;
    const endAt = performance.now() + CALL_SILENCES * patience.silenceMs;
    const isEnough = () => found.length >= manyFound || performance.now() >= endAt;
    let at = from;
    while (at <= to && (at === from || !isEnough())) {
      const end = Math.min(to, at + size.blocks - 1);
      const started = performance.now();
      try {
        const part = await ask(at, end);
        found.push(...part);
        const ms = performance.now() - started;
        size.grow(Math.min(manyFound / (1 + part.length), slowMs / (1 + ms)));
        patience.answered();
      } catch (error) {
        if (end === at && isTimeout(error)) patience.grow();
        const kind = end > at ? refusalOf(error) : undefined;
        if (kind !== undefined) size.shrink(end - at + 1);
        if (kind === 'size') continue;
        if (at === from) throw error;
        break;
      }
      at = end + 1;
    }
    return { to: at - 1, found };
  };
}

/**
 * The meaning of a failed request for several blocks for their number:
 * - `size`: fewer may be answered, and are requested now;
 * - `unclear`: fewer are requested in the next tick, because the RPC may be frozen or limit the rate;
 * - `undefined`: nothing, because the RPC is away, limits the rate, or contradicts another one.
 */
type PartRefusal = 'size' | 'unclear' | undefined;

/** As `refusalOfRange`, of blocks that are requested concurrently: fewer of them are a lower rate. */
export function refusalOfBurst(error: unknown): PartRefusal {
  return isRateLimited(error) ? 'unclear' : refusalOfRange(error);
}

export function refusalOfRange(error: unknown): PartRefusal {
  if (error instanceof RpcDisagreementError || error instanceof IncompleteAnswerError)
    return undefined;
  const kind = refusalOf(error);
  if (kind !== 'unclear') return kind === 'size' ? kind : undefined;
  const isAnswered = !isUnanswered(error) || isRefusedByHttp(error);
  return isAnswered || error instanceof TimeoutError ? kind : undefined;
}
