import { BlockPace } from '../../../core/block-pace.ts';

/*
 * Ponder polls at one interval for ever. Providers count each poll, and chains change their block time, so the
 * interval follows the chain, unless the operator has set one.
 */

/**
 * Polls for the newest block, now and again and again. A poll does not wait for the one before.
 * @param startMs the first interval.
 * @param onTimer receives the timer of each next poll; `clearInterval` of the last one ends the polling.
 * @param poll reads the newest block, and passes it to its parameter.
 * @param isFixed true if the interval stays as it is.
 */
export function pollAtBlockTime(
  startMs,
  onTimer,
  poll,
  isFixed = process.env.POLLING_IS_FIXED === 'true',
) {
  const pace = new BlockPace(startMs);
  const saw = ({ number, timestamp }) =>
    pace.saw({ number: Number(number), timestamp: Number(timestamp) });
  const next = () => {
    const ms = isFixed ? startMs : pace.ms;
    onTimer(
      setTimeout(() => {
        next();
        poll(saw);
      }, ms),
    );
  };
  next();
  // Ponder would wait for an interval first, and all that is not final with it.
  poll(saw);
}
