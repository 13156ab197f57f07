import pino from 'pino';

/**
 * Bytes of lines that are gathered, and that are written at once: no more than a pipe takes in one
 * piece (PIPE_BUF), so that lines of several processes on one pipe do not cut each other.
 */
const GATHERED_BYTES = 3 * 1024;
const WRITTEN_BYTES = 4 * 1024;

/** Bytes that wait for an output that takes nothing. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Milliseconds that a line waits for others, at most. */
const GATHERED_MS = 100;

/** Signals that end a process, where nobody else listens to them. */
const ENDINGS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Standard output for the lines of a log. A write of its own for each line is a system call for each
 * request; these are gathered for a tenth of a second. Warnings and what is worse are written at
 * once, with what was gathered before. What is left is written when the process ends, by itself, by an
 * error that nobody caught or by a signal; only what cannot be listened to (SIGKILL, no memory left)
 * takes lines with it. Writing waits for whoever reads, so that lines never pile up in memory. An output
 * that takes nothing, such as a full disk, costs lines and not the process.
 */
export function openLogOutput(): pino.DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: true,
    minLength: GATHERED_BYTES,
    maxWrite: WRITTEN_BYTES,
    periodicFlush: GATHERED_MS,
    // What is not written yet when the output takes nothing: newer lines are dropped.
    maxLength: MAX_WAITING_BYTES,
  });
  output.on('error', () => {});
  // Its other way to flush (flushSync) would try for ever.
  const flush = () => output.flush();
  process.on('exit', flush);
  for (const signal of ENDINGS) {
    process.once(signal, () => {
      flush();
      // Without a listener the signal would have ended the process.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
  const { warn } = pino.levels.values;
  return new (class {
    readonly [pino.symbols.needsMetadataGsym] = true;
    /** Set by pino before each line. */
    lastLevel = 0;
    write(line: string): void {
      output.write(line);
      if (warn === undefined || this.lastLevel >= warn) flush();
    }
  })();
}
