import { blockAt } from '../chain/blocks.ts';
import { readHeads, type SettledBlock } from '../db/heads.ts';
import { type Found, type OneRead, readIn, readOne } from '../db/read/one-read.ts';
import { NotSettledError, readLedger, type Snapshot } from '../db/read/snapshot.ts';
import type { AppDeps } from './deps.ts';
import { invalidField, invalidInput, notReady } from './errors.ts';
import { CHAIN_ANSWER_MS, withTimeout } from './limits/with-timeout.ts';

type PastDeps = Pick<AppDeps, 'pool' | 'deployment' | 'client'>;

/**
 * `readLedger` at a past block, or at the settled block if none is named. The time of a past block, which is the
 * clock of states and holds, comes from the chain, because a block without events is in no row.
 * @param atBlock decimal digits from the request.
 * @param field of the request that names the block, for errors.
 * @throws {HttpError} VALIDATION_FAILED naming the field if the block is above the settled block, or below the
 * one that deployed the contract.
 * @throws {HttpError} NOT_READY if the chain does not answer, or is replacing blocks just now.
 */
export async function readAsOf<T>(
  deps: PastDeps,
  atBlock: string | undefined,
  read: (snapshot: Snapshot) => Promise<T>,
  field = 'atBlock',
): Promise<T> {
  if (atBlock === undefined) return await readLedger(deps.pool, read);
  const block = await pastBlock(deps, Number(atBlock), field);
  return await readLedger(deps.pool, read, block);
}

/** `readAsOf` for a read of one statement, which is a single round trip if no block is named. */
export async function readOneAsOf<Row extends object, T, K extends string = never>(
  deps: PastDeps,
  atBlock: string | undefined,
  read: OneRead<Row, T, K>,
): Promise<Found<T>> {
  if (atBlock === undefined) return await readOne(deps.pool, read);
  return await readAsOf(deps, atBlock, async (snapshot) => ({
    head: snapshot.head,
    value: await readIn(snapshot, read),
  }));
}

/** @throws {HttpError} VALIDATION_FAILED naming the field if a block is above the settled one. */
export function requireAtMostSettled(path: string, number: number, settled: number): void {
  if (number <= settled) return;
  throw invalidInput([{ path, message: `must be at most the settled block, ${settled}` }]);
}

async function pastBlock(deps: PastDeps, number: number, field: string): Promise<SettledBlock> {
  const settled = (await readHeads(deps.pool))?.settled;
  if (settled == null) {
    throw new NotSettledError();
  }
  requireAtMostSettled(field, number, settled.number);
  const first = deps.deployment.startBlock;
  if (number < first) {
    const message = `must be at least the block that deployed the contract, ${first}`;
    throw invalidField(field, message);
  }
  if (number === settled.number) return settled;
  const [requested, newest] = await Promise.all([
    blockOf(deps, number, field),
    blockOf(deps, settled.number, field),
  ]);
  // If the chain still has the settled block, its earlier blocks are those that the ledger was folded from.
  if (requested === null || newest?.hash !== settled.hash) {
    throw notReady(field, 'The chain is replacing blocks: try again.');
  }
  return requested;
}

/** Block of the chain; `null` if the chain no longer has it. */
async function blockOf(
  { client }: PastDeps,
  number: number,
  field: string,
): Promise<SettledBlock | null> {
  try {
    return await withTimeout(blockAt(client, number), CHAIN_ANSWER_MS);
  } catch {
    throw notReady(field, 'The chain did not answer with the time of that block: try again.');
  }
}
