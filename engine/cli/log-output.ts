import pino from 'pino';

/**
 * Bytes that are collected, and that are written together: at most what a pipe accepts atomically
 * (PIPE_BUF), so that lines of several processes on one pipe do not mix.
 */
const MAX_BUFFERED_BYTES = 3 * 1024;
const WRITTEN_BYTES = 4 * 1024;

/** Maximum bytes that wait for a blocked output. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Maximum milliseconds that a line waits for others. */
const MAX_BUFFERED_MS = 100;

/** Signals that end a process without a listener. */
const ENDINGS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Standard output for log lines. One write per line would be one system call per request, so lines
 * are collected for a tenth of a second; warnings and errors are written immediately, with the lines
 * before them. The rest is written when the process ends normally, by an uncaught error or by a signal;
 * only SIGKILL and lack of memory lose lines. Writing blocks until the reader takes the lines, so that
 * they never pile up in memory. A blocked output, such as a full disk, costs lines and not the process.
 * All logs of a process share one output: two would mix their lines, and each would listen for the end.
 */
export function openLogOutput(): pino.DestinationStream {
  opened ??= open();
  return opened;
}

let opened: pino.DestinationStream | undefined;

function open(): pino.DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: true,
    minLength: MAX_BUFFERED_BYTES,
    maxWrite: WRITTEN_BYTES,
    periodicFlush: MAX_BUFFERED_MS,
    // If the output is blocked, newer lines are dropped.
    maxLength: MAX_WAITING_BYTES,
  });
  output.on('error', () => {});
  // flushSync would retry forever.
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
