import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Account that the server runs as; empty for the current account. */
export type ServerAccount = { readonly uid?: number; readonly gid?: number };

/**
 * Account to run PostgreSQL as. PostgreSQL does not run as root: then the account is `postgres`,
 * which is created if it does not exist.
 *
 * @throws {Error} if this process is root and cannot use another account.
 */
export async function serverOwner(): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return {};
  const existing = await account('postgres');
  if (existing) return existing;
  await run('groupadd', ['--system', 'postgres']).catch(() => {});
  await run('useradd', ['--system', '-g', 'postgres', '-M', '-s', '/bin/false', 'postgres']).catch(
    () => {},
  );
  const owner = (await account('postgres')) ?? (await account('nobody'));
  if (owner) return owner;
  throw new Error(
    'PostgreSQL does not run as root, and the user "postgres" could not be created: create it, run as another user, or set DATABASE_URL.',
  );
}

async function account(name: string): Promise<Required<ServerAccount> | undefined> {
  try {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    const [uid, gid] = ids.map(({ stdout }) => Number(stdout.trim()));
    return uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

/** True if an account may enter a folder and every folder above it. */
export async function canEnter(folder: string, owner: ServerAccount): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let path = resolve(folder); ; path = dirname(path)) {
    // A folder that does not exist yet will be created with access; its parents count.
    const found = await stat(path).catch(() => undefined);
    if (found && !mayPass(found, owner)) return false;
    if (path === dirname(path)) return true;
  }
}

function mayPass(
  folder: { mode: number; uid: number; gid: number },
  owner: ServerAccount,
): boolean {
  if (folder.uid === owner.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === owner.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}
