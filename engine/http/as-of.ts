import { readHeads, type SettledBlock } from '../db/heads.ts';
import { type Found, type OneRead, readIn, readOne } from '../db/read/one-read.ts';
import { NotSettledError, readLedger, type Snapshot } from '../db/read/snapshot.ts';
import type { AppDeps } from './deps.ts';
import { NotReadyError, ValidationError } from './errors.ts';
import { inTime } from './in-time.ts';

/** Milliseconds that the chain may take to tell a block's time. */
const CHAIN_TIMEOUT_MS = 5_000;

/**
 * `readLedger` as of a block of the past, or of the settled one where none is named. Its time, which
 * is the clock of states and holds, is the chain's to tell: a block without events is in no row.
 * @param atBlock decimal digits, as the request has them.
 * @throws {ValidationError} naming `atBlock` where it is above the settled block, or below the one
 * that deployed the contract.
 * @throws {NotReadyError} where the chain does not answer, or is replacing blocks just now.
 */
export async function readAsOf<T>(
  deps: AppDeps,
  atBlock: string | undefined,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  if (atBlock === undefined) return await readLedger(deps.pool, read);
  const block = await pastBlock(deps, Number(atBlock));
  return await readLedger(deps.pool, read, block);
}

/** `readAsOf` for a read of one statement, which is one round trip where no block is named. */
export async function readOneAsOf<Row extends object, T>(
  deps: AppDeps,
  atBlock: string | undefined,
  read: OneRead<Row, T>,
): Promise<Found<T>> {
  if (atBlock === undefined) return await readOne(deps.pool, read);
  return await readAsOf(deps, atBlock, async (snapshot) => ({
    head: snapshot.head,
    value: await readIn(snapshot, read),
  }));
}

/** @throws {ValidationError} naming the field where a block is above the settled one. */
export function requireAtMostSettled(path: string, number: number, settled: number): void {
  if (number <= settled) return;
  throw new ValidationError([{ path, message: `must be at most the settled block, ${settled}` }]);
}

async function pastBlock(deps: AppDeps, number: number): Promise<SettledBlock> {
  const settled = (await readHeads(deps.pool))?.settled;
  if (settled == null) {
    throw new NotSettledError();
  }
  requireAtMostSettled('atBlock', number, settled.number);
  const first = deps.deployment.startBlock;
  if (number < first) {
    const message = `must be at least the block that deployed the contract, ${first}`;
    throw new ValidationError([{ path: 'atBlock', message }]);
  }
  if (number === settled.number) return settled;
  const [asked, newest] = await Promise.all([blockOf(deps, number), blockOf(deps, settled.number)]);
  // While the chain has the settled block, what it has below is what the ledger was folded from.
  if (asked === null || newest?.hash !== settled.hash) {
    throw notReady('The chain is replacing blocks just now: try again.');
  }
  return asked;
}

/** `null` where the chain has no such block any more. */
async function blockOf({ client }: AppDeps, number: number): Promise<SettledBlock | null> {
  try {
    const asking = client.getBlock({ blockNumber: BigInt(number) });
    const { hash, timestamp } = await inTime(asking, CHAIN_TIMEOUT_MS);
    return { number, hash, timestamp: Number(timestamp) };
  } catch (error) {
    if (error instanceof Error && error.name === 'BlockNotFoundError') return null;
    throw notReady('The chain does not tell the time of that block just now: try again.');
  }
}

function notReady(message: string): NotReadyError {
  return new NotReadyError([{ path: 'atBlock', message }]);
}
