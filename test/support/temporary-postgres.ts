import { chmod, mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { isAlive } from '../../engine/cli/stack/alive.ts';
import { startPostgres } from '../../engine/cli/stack/postgres.ts';

/** An embedded server in a folder of its own. */
export interface TemporaryPostgres {
  readonly url: string;
  readonly dataDir: string;
  /** Ends all sessions, and starts the server again at the same URL. */
  restart(): Promise<void>;
  /** Stops the server and deletes its folder. */
  remove(): Promise<void>;
}

/**
 * Starts a server whose folder is deleted when it is removed.
 *
 * @param durable true if a commit waits for the disk; otherwise the databases are in memory if there
 *   is room, because most of the time of a copy goes into its thousand files.
 */
export async function startTemporaryPostgres(
  name: string,
  durable: boolean,
): Promise<TemporaryPostgres> {
  const parent = !durable && (await hasMemoryFolder()) ? MEMORY_FOLDER : tmpdir();
  if (parent === MEMORY_FOLDER) await removeAbandoned();
  const dataDir = await mkdtemp(join(parent, `tributary-${name}-`));
  // The server's account must be able to enter it, or its files are put elsewhere and stay there.
  await chmod(dataDir, 0o755);
  let server = await startPostgres({ dataDir, durable });
  const { url, port } = server;
  return {
    url,
    dataDir,
    restart: async () => {
      await server.stop();
      server = await startPostgres({ dataDir, durable, port });
    },
    remove: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Creates a copy of a database that no one is connected to, and returns its URL. File by file: that
 * takes a third of the time of the default, which writes every page to the write-ahead log.
 */
export async function copyDatabase(server: string, from: string, name: string): Promise<string> {
  const sql = postgres(server, { max: 1 });
  await sql`create database ${sql(name)} template ${sql(from)} strategy file_copy`;
  await sql.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Files in memory, on Linux. */
const MEMORY_FOLDER = '/dev/shm';

/** Bytes that must be free there: some hundred databases of 12 MB each. */
const MIN_MEMORY_FOLDER_BYTES = 4 * 2 ** 30;

/** True if the databases fit into memory, and programs may be run from there. */
async function hasMemoryFolder(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n');
  const mount = mounts.find((line) => line.startsWith(`tmpfs ${MEMORY_FOLDER} `));
  if (mount === undefined || mount.includes('noexec')) return false;
  const { bavail, bsize } = await statfs(MEMORY_FOLDER);
  return bavail * bsize >= MIN_MEMORY_FOLDER_BYTES;
}

/** A folder that is younger may be of a server that is being created. */
const STARTING_MS = 10 * 60_000;

/** Deletes the databases of runs that were killed, which would stay in memory until a restart. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(MEMORY_FOLDER)) {
    if (!name.startsWith('tributary-')) continue;
    const folder = join(MEMORY_FOLDER, name);
    const pidFile = join(folder, 'postgres', 'data', 'postmaster.pid');
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
    const changedAt = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (isAlive(pid) || Date.now() - changedAt < STARTING_MS) continue;
    await rm(folder, { recursive: true, force: true });
  }
}
