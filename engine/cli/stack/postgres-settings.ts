import { totalmem } from 'node:os';

const MIB = 2 ** 20;

/** PostgreSQL's own default, below which nothing is gained. */
const LEAST_BUFFERS_MIB = 128;
/** What a ledger of some millions of sales uses; the rest of the memory caches files anyway. */
const MOST_BUFFERS_MIB = 2_048;

/**
 * How the embedded server is set, by name (docs/operations.md, «PostgreSQL»). What settlement writes
 * asks for more than the defaults: with buffers that hold the indexes and a log that is not cut every
 * 100,000 sales, each page is written in full once and not at each checkpoint.
 * @param durable whether a commit waits for the disk. A server that need not is short-lived, and is
 *   left as it comes: dropping a database looks through all buffers.
 * @param memory bytes that this process may use; default those of the machine, or of its container.
 */
export function serverSettings(
  durable: boolean,
  memory = availableMemory(),
): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable
      ? { ...writeSettings, shared_buffers: `${buffersMiB(memory)}MB` }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/** A crash is recovered from by reading at most this much log: some tens of seconds. */
const writeSettings = { max_wal_size: '4GB', checkpoint_timeout: '15min' };

/** A quarter of the memory, as PostgreSQL's manual advises («Resource Consumption»). */
function buffersMiB(memory: number): number {
  const quarter = Math.floor(memory / 4 / MIB);
  return Math.min(MOST_BUFFERS_MIB, Math.max(LEAST_BUFFERS_MIB, quarter));
}

function availableMemory(): number {
  // Of no container it is 0, or more than there is.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), constrained);
}
