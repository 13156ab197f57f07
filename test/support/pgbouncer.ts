import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canConnect } from '../../engine/cli/stack/database.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { spawnChild } from '../../engine/cli/stack/processes.ts';
import { waitFor } from './wait-for.ts';

/** Whether Debian's PgBouncer is installed. */
export const pgbouncerIsInstalled =
  spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' }).status === 0;

if (!pgbouncerIsInstalled) console.warn('No pgbouncer on the PATH: its tests are skipped.');

/** A pooler of one test file. */
export interface PgBouncer {
  /** URL of a database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a pooler with its default settings in front of the server of a database's URL. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    `pool_mode = ${mode}`,
    // A session of the server for each of a client, or a few for all of them.
    `default_pool_size = ${mode === 'session' ? 100 : 5}`,
  ];
  await writeFile(file, settings.join('\n'));
  await chmod(folder, 0o755);
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawnChild({
    name: 'pgbouncer',
    command: 'pgbouncer',
    args: [...user, file],
    logFile: join(folder, 'pgbouncer.log'),
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  await waitFor(() => canConnect(url.href), { what: 'pgbouncer to answer' });
  return {
    url: url.href,
    async stop() {
      await child.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
