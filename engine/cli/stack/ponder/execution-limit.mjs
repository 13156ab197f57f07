/*
 * Ponder allows a file 10 seconds to execute, and then ends as if the file were wrong. On a busy machine ours
 * take longer, because they wait for the processor.
 */

/** Seconds for which a file may execute. Ours take less than one on a free machine. */
const MAX_SECONDS = 300;

/**
 * Calls back if a file does not end. A second counts only if this process ran in it: what it was suspended, or did
 * not get the processor, does not count.
 * @returns a timer that `clearTimeout` ends.
 */
export function whenExecutionHangs(callback, maxSeconds = MAX_SECONDS) {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    if (seconds < maxSeconds) return;
    clearInterval(timer);
    callback();
  }, 1_000);
  return timer;
}
