import { totalmem } from 'node:os';

const MIB = 2 ** 20;

/** Default of PostgreSQL; less gains nothing. */
const MIN_BUFFERS_MIB = 128;
/** Enough for a ledger of some millions of sales; other memory caches files anyway. */
const MAX_BUFFERS_MIB = 2_048;

/**
 * Settings of the embedded server, by name (docs/operate/run.md#postgresql). Settlement needs more than
 * the defaults: with buffers for all indexes and rare checkpoints, each page is written in full once
 * and not at each checkpoint.
 * @param durable true if a commit waits for the disk. A short-lived server without it uses the
 *   defaults, because dropping a database scans all buffers.
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
    // Processes of which a ledger that fits into memory has no use: its statements read what is in memory, and no other
    // server's changes are applied here.
    io_method: 'sync',
    max_logical_replication_workers: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable
      ? { ...writeSettings, shared_buffers: `${buffersMiB(memory)}MB` }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/** Maximum log that recovery reads after a crash: some tens of seconds. */
const writeSettings = { max_wal_size: '4GB', checkpoint_timeout: '15min' };

/** A quarter of the memory, as the PostgreSQL manual advises. */
function buffersMiB(memory: number): number {
  const quarter = Math.floor(memory / 4 / MIB);
  return Math.min(MAX_BUFFERS_MIB, Math.max(MIN_BUFFERS_MIB, quarter));
}

function availableMemory(): number {
  // Outside a container it is 0, or more than the machine has.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), constrained);
}
