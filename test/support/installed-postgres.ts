import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { type ServerAccount, serverOwner } from '../../engine/cli/stack/postgres-owner.ts';
import { closePool, openPool, type Pool } from '../../engine/db/connection.ts';
import { inheritedEnv } from '../../engine/env.ts';

const run = promisify(execFile);

/** Programs of PostgreSQL as Debian installs them: the embedded server comes without most of them. */
const PROGRAMS = '/usr/lib/postgresql';

/** Folder of the programs of the newest installed PostgreSQL; `undefined` if none is installed. */
const programs: string | undefined = (existsSync(PROGRAMS) ? readdirSync(PROGRAMS) : [])
  .sort((a, b) => Number(b) - Number(a))
  .map((version) => join(PROGRAMS, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'pg_basebackup')));

/** True if a server of its own, its standbys and its tools can be tested here. */
export const postgresIsInstalled = programs !== undefined;

if (!postgresIsInstalled) {
  console.warn(`No PostgreSQL in ${PROGRAMS}: the tests of replicas and recovery are skipped.`);
}

/** Settings of all servers: no wait for the disk, as little memory as possible. */
const SETTINGS = [
  ...['fsync=off', 'full_page_writes=off', 'shared_buffers=64MB', 'max_connections=100'],
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_wal_senders=10'],
  ...['hot_standby=on', 'wal_level=replica', 'wal_keep_size=256MB', 'autovacuum=off'],
  'wal_retrieve_retry_interval=100ms',
  'jit=off',
];

interface ServerOptions {
  /** Such as `work_mem=4MB`. */
  readonly settings?: readonly string[];
  /** True to keep the log, for a recovery up to a point in time. */
  readonly archivesLog?: boolean;
}

/** A server of the installed PostgreSQL: a primary, or a standby of one. */
export class InstalledPostgres {
  private constructor(
    readonly port: number,
    readonly folder: string,
    private readonly owner: ServerAccount,
    private readonly settings: readonly string[],
  ) {}

  /** Creates a primary and starts it. */
  static async primary(options: ServerOptions = {}): Promise<InstalledPostgres> {
    const server = await InstalledPostgres.#make(options);
    await server.program(
      ...['initdb', '-D', server.data, '-U', 'postgres', '-A', 'trust', '--no-sync'],
      ...['--encoding=UTF8', '--locale=C.UTF-8'],
    );
    await server.start();
    return server;
  }

  /** Creates a standby of this server from a base backup, and starts it. */
  async standby(options: ServerOptions = {}): Promise<InstalledPostgres> {
    const server = await InstalledPostgres.#make(options);
    await this.baseBackup(server.data, '-R', '-X', 'stream');
    await server.start();
    return server;
  }

  static async #make({ settings = [], archivesLog = false }: ServerOptions) {
    const owner = await serverOwner();
    const folder = await mkdtemp(join(tmpdir(), 'tributary-installed-'));
    const archive = join(folder, 'archive');
    await mkdir(archive, { mode: 0o700 });
    if (owner.uid !== undefined && owner.gid !== undefined) {
      for (const path of [folder, archive]) await chown(path, owner.uid, owner.gid);
    }
    await chmod(folder, 0o700);
    const archiving = archivesLog
      ? ['archive_mode=on', `archive_command='cp %p ${archive}/%f'`]
      : [];
    return new InstalledPostgres(await freePort(), folder, owner, [...settings, ...archiving]);
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const settings = [...SETTINGS, ...this.settings].map((one) => `-c ${one}`).join(' ');
    await this.program(
      ...['pg_ctl', 'start', '-w', '-D', this.data, '-l', join(this.folder, 'log')],
      ...['-o', `-p ${this.port} ${settings}`],
    );
  }

  async stop(mode: 'fast' | 'immediate' = 'immediate'): Promise<void> {
    await this.program('pg_ctl', 'stop', '-w', '-m', mode, '-D', this.data);
  }

  /** Makes a primary of a standby. */
  async promote(): Promise<void> {
    await this.program('pg_ctl', 'promote', '-w', '-D', this.data);
  }

  /** Copies the data of the running server into a new folder. */
  async baseBackup(folder: string, ...options: readonly string[]): Promise<void> {
    const source = `host=127.0.0.1 port=${this.port} user=postgres`;
    await this.program(
      ...['pg_basebackup', '-D', folder, '-d', source, '-c', 'fast', '--no-sync'],
      ...options,
    );
  }

  /** Replaces the data by a base backup, and recovers up to a time from the archived log. */
  async recover(base: string, time: string): Promise<void> {
    await this.stop('fast');
    await rm(this.data, { recursive: true });
    await run('cp', ['-a', base, this.data]);
    await appendFile(
      join(this.data, 'postgresql.conf'),
      `\nrestore_command = 'cp ${this.folder}/archive/%f %p'\nrecovery_target_time = '${time}'\n` +
        `recovery_target_action = 'promote'\n`,
    );
    await writeFile(join(this.data, 'recovery.signal'), '');
    await this.start();
  }

  /** Id of the server's first process. */
  async pid(): Promise<number> {
    return Number.parseInt(await readFile(join(this.data, 'postmaster.pid'), 'utf8'), 10);
  }

  /** Creates a database. @returns its URL. */
  async createDatabase(name: string): Promise<string> {
    await this.do((sql) => sql`create database ${sql(name)}`);
    return this.url(name);
  }

  /** Runs statements as the superuser, on connections of their own. */
  async do<T>(work: (sql: Pool) => Promise<T>, database?: string): Promise<T> {
    const sql = openPool(this.url(database), { max: 2 });
    try {
      return await work(sql);
    } finally {
      await closePool(sql, 1);
    }
  }

  /** Runs a program of PostgreSQL as the account of the server. */
  async program(name: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await run(join(programs ?? '', name), [...args], {
      ...this.owner,
      cwd: this.folder,
      env: { ...inheritedEnv(), LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      maxBuffer: 1 << 28,
    });
    return stdout;
  }

  /** Stops the server and deletes its folder. */
  async remove(): Promise<void> {
    await this.stop().catch(() => {});
    await rm(this.folder, { recursive: true, force: true });
  }
}
