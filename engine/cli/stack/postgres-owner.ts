import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account that the server runs as; empty for our own. */
export type Owner = { readonly uid?: number; readonly gid?: number };

/**
 * The account to run PostgreSQL as. It refuses to run as root: then it is the user `postgres`,
 * which is created where it does not exist.
 *
 * @throws Error where we are root and there is no way to become somebody else.
 */
export async function serverOwner(): Promise<Owner> {
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

async function account(name: string): Promise<Required<Owner> | undefined> {
  try {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    const [uid, gid] = ids.map(({ stdout }) => Number(stdout.trim()));
    return uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an account may enter a folder, which takes the right to pass every folder above it. */
export async function canEnter(folder: string, owner: Owner): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let path = resolve(folder); ; path = dirname(path)) {
    // A folder that is yet to be made will be made enterable; what is above it counts.
    const found = await stat(path).catch(() => undefined);
    if (found && !mayPass(found, owner)) return false;
    if (path === dirname(path)) return true;
  }
}

function mayPass(folder: { mode: number; uid: number; gid: number }, owner: Owner): boolean {
  if (folder.uid === owner.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === owner.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}
