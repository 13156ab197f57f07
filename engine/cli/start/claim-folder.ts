import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { countOf } from '../../core/count-of.ts';
import { CommandError } from '../exit-codes.ts';
import { isAlive, isZombie, processStart } from '../stack/alive.ts';
import { processGuard, type Watched } from '../stack/guard.ts';
import { Patience } from '../stack/patience.ts';

const processSchema = z.object({
  pid: z.number().int().positive(),
  /** From `processStart`: another process may have got the id since. */
  startedAt: z.string().optional(),
});

/** Record of a `start` in its folder, from its beginning to its end. */
const schema = z.object({
  owner: processSchema,
  guard: processSchema.optional(),
  children: z.array(
    processSchema.extend({
      // biome-ignore lint/suspicious/noExplicitAny: Node's own type lists the names.
      signal: z.custom<NodeJS.Signals>((name: any) => /^SIG[A-Z0-9]+$/.test(name)),
      graceMs: z.number(),
    }),
  ),
});
type Claim = z.infer<typeof schema>;
type Process = z.infer<typeof processSchema>;

const FILE = 'start.json';

/** Milliseconds between two checks whether a process has ended. */
const POLL_MS = 100;

/**
 * Claims a data folder for this process, so that a second `start` is refused from the first moment on. The file also
 * names the child processes: if this process and its guard are killed, the next start ends what they left running.
 * @param onLeftover called if there is something to end first.
 * @returns a function that gives the folder back.
 * @throws {CommandError} if another `start` has it, or it cannot be written.
 */
export async function claimFolder(
  dataDir: string,
  onLeftover: (text: string) => void,
): Promise<() => void> {
  const path = join(dataDir, FILE);
  const claim: Claim = { owner: identityOf(process.pid), children: [] };
  try {
    await mkdir(dataDir, { recursive: true });
    for (let tries = 0; !tryToWrite(path, claim); tries += 1) {
      const other = readClaim(path);
      if (other !== undefined && isRunning(other.owner)) throw alreadyRunning(other);
      takeAway(path, tries);
      if (other !== undefined) await endLeftovers(other, onLeftover);
    }
  } catch (error) {
    throw error instanceof CommandError ? error : notWritable(dataDir, error);
  }
  processGuard().onChange((guardPid, watched) => record(path, claim, guardPid, watched));
  return () => {
    processGuard().onChange(() => {});
    rmSync(path, { force: true });
  };
}

/**
 * Writes the claim, whole from its first moment on.
 * @returns false if there is one.
 */
function tryToWrite(path: string, claim: Claim): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${JSON.stringify(claim)}\n`, { mode: 0o600 });
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Takes a claim away whose owner is gone, unless another start was faster. */
function takeAway(path: string, tries: number): void {
  const aside = `${path}.${process.pid}-${tries}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const taken = readClaim(aside);
  // The claim is of a start that came between the two calls.
  if (taken !== undefined && isRunning(taken.owner)) {
    renameSync(aside, path);
    throw alreadyRunning(taken);
  }
  rmSync(aside, { force: true });
}

function readClaim(path: string): Claim | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // It is gone, from another version, or was being written when the machine stopped.
    return undefined;
  }
}

function record(
  path: string,
  claim: Claim,
  guardPid: number | undefined,
  watched: readonly Watched[],
): void {
  const known = new Map(claim.children.map((child) => [child.pid, child]));
  claim.children = watched.map((one) => known.get(one.pid) ?? { ...identityOf(one.pid), ...one });
  if (guardPid !== undefined) claim.guard = identityOf(guardPid);
  try {
    const part = `${path}.part`;
    writeFileSync(part, `${JSON.stringify(claim)}\n`, { mode: 0o600 });
    renameSync(part, path);
  } catch {
    // On a full disk the older list stays: the guard does not need it.
  }
}

/** Ends the processes of a start that was killed: waits for its guard, or does the guard's work. */
async function endLeftovers(
  { guard, children }: Claim,
  onLeftover: (text: string) => void,
): Promise<void> {
  const left = children.filter(isRunning);
  if (left.length === 0) return;
  onLeftover(
    `Ending ${countOf(left.length, 'process', 'processes')} that an earlier start left running`,
  );
  const isGuarded = guard !== undefined && isRunning(guard);
  // The last that was started is the first to end.
  for (const child of left.reverse()) if (!isGuarded) send(child.pid, child.signal);
  await Promise.all(left.map(ended));
}

async function ended(child: Claim['children'][number]): Promise<void> {
  const patience = new Patience(child.graceMs / 1_000);
  while (isRunning(child)) {
    if (patience.isOver) send(-child.pid, 'SIGKILL');
    await patience.pause(POLL_MS);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function identityOf(pid: number): Process {
  const startedAt = processStart(pid);
  return startedAt === undefined ? { pid } : { pid, startedAt };
}

function isRunning({ pid, startedAt }: Process): boolean {
  if (!isAlive(pid) || isZombie(pid)) return false;
  return startedAt === undefined || processStart(pid) === startedAt;
}

function alreadyRunning({ owner }: Claim): CommandError {
  return new CommandError(
    `Tributary is already running here (process ${owner.pid}). Stop it first, or set DATA_DIR to another folder.`,
  );
}

function notWritable(dataDir: string, error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `DATA_DIR cannot be written: ${resolve(dataDir)} (${reason}). Set it to a folder that this account may write.`,
  );
}
