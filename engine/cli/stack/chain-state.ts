import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Hex, keccak256, zeroAddress } from 'viem';
import { ignoreMissing } from '../ignore-missing.ts';
import { request } from './anvil.ts';
import { requestBytes } from './request-bytes.ts';

/*
 * Anvil keeps its chain in memory. It writes a file at its end, which a kill prevents, and which a kill
 * meanwhile leaves torn. So its supervisor also asks it for its state after new blocks, and replaces a file by each
 * answer in one step.
 */

/** The files of a chain, in its folder. */
const FILES = {
  /** Everything, as anvil writes it at its end. */
  atEnd: 'state.json',
  /** The chain without the state of old blocks: a few seconds old at most. */
  recent: 'recent.json.gz',
  /** The recent one before, in case anvil gave the newest while it mined, so that it has accounts without their block. */
  previous: 'previous.json.gz',
  /** Everything, as of the end of the sample. */
  full: 'full.json.gz',
  /** Made of the others, for the next anvil to read. */
  load: 'load.json',
} as const;

/** Path of the file that anvil writes at its end. */
export function stateAtEnd(folder: string): string {
  return join(folder, FILES.atEnd);
}

interface State {
  /** Hashes of blocks, each with the accounts as of it. */
  readonly historical_states?: readonly (readonly [hash: string, state: unknown])[] | null;
}

/** A state for anvil to read. */
export interface StoredState {
  /** The file that it is from. */
  readonly source: string;
  /** The file that anvil reads. */
  readonly path: string;
}

/**
 * Prepares the states of a chain for anvil, the newest first. A file that is made for it is removed when the next is asked
 * for, or none any more. If one lacks the state of old blocks, those of an older file are
 * added. Files that are not whole are left out.
 */
export async function* storedStates(folder: string): AsyncGenerator<StoredState> {
  const atEnd = join(folder, FILES.atEnd);
  const saved = [FILES.recent, FILES.previous, FILES.full];
  const paths = [atEnd, ...saved.map((name) => join(folder, name))];
  const dated = await Promise.all(paths.map(async (path) => ({ path, at: await writtenAt(path) })));
  const newestFirst = dated.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at);
  for (const [i, { path: source }] of newestFirst.entries()) {
    const state = await readState(source);
    if (state === undefined) continue;
    if (source === atEnd) {
      // Anvil reads its own file as it is.
      yield { source, path: source };
      continue;
    }
    const path = join(folder, FILES.load);
    const history = await historyIn([state], newestFirst.slice(i + 1));
    await writeWhole(path, JSON.stringify({ ...state, ...history }));
    try {
      yield { source, path };
    } finally {
      await rm(path, { force: true });
    }
  }
}

/** States of old blocks, of the first state that has them. */
async function historyIn(
  states: readonly State[],
  older: readonly { readonly path: string }[],
): Promise<Pick<State, 'historical_states'>> {
  for (const { historical_states } of states) {
    if (historical_states?.length) return { historical_states };
  }
  const [next, ...rest] = older;
  if (next === undefined) return {};
  const state = await readState(next.path);
  return await historyIn(state === undefined ? [] : [state], rest);
}

/**
 * True if the accounts of an anvil are those of its newest block. Anvil writes its blocks and its accounts one after the
 * other, so a file that it wrote while transactions arrived may have a block less.
 */
export async function isOfOneMoment(url: string): Promise<boolean> {
  const { stateRoot } = (await request(url, 'eth_getBlockByNumber', ['latest', false])) as {
    readonly stateRoot: Hex;
  };
  const proof = (await request(url, 'eth_getProof', [zeroAddress, [], 'latest'])) as {
    readonly accountProof: readonly Hex[];
  };
  const [root] = proof.accountProof;
  return root === undefined || keccak256(root) === stateRoot;
}

async function writtenAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** @returns `undefined` if the file is torn. */
async function readState(path: string): Promise<State | undefined> {
  try {
    const bytes = await readFile(path);
    const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    return JSON.parse(text.toString('utf8')) as State;
  } catch {
    return undefined;
  }
}

/** Replaces a file in one step: a reader, or a crash, finds the old one or the new one. */
async function writeWhole(path: string, data: string): Promise<void> {
  await rename(await writePart(path, data), path);
}

/** Writes what a file is to have. @returns the path of that, to be renamed. */
async function writePart(path: string, data: string | AsyncIterable<Uint8Array>): Promise<string> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  return part;
}

/** Milliseconds between two polls for a new block. */
const POLL_MS = 500;

/** Between two writes anvil works for its readers: this many times as long as the first took. */
const REST_FACTORS = { usual: 4, least: 1 } as const;

/**
 * Blocks of which the rest ends early, and mining waits for the next write. A kill loses these and those of one write, or
 * twice as many if the newest file cannot be used: fewer than the 30 behind the head whose events Ponder takes for final,
 * and so cannot take out again.
 */
const UNSAVED_BLOCKS = 12;

/** Milliseconds that anvil may take to give its whole state. */
const DUMP_MS = 300_000;

/**
 * Writes the chain of an anvil after new blocks, until it is stopped: without the state of old blocks, which takes anvil
 * seconds to read, and more with each block.
 */
export class StateSaver {
  readonly #url: string;
  readonly #folder: string;
  readonly #log: (line: string) => void;
  readonly #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #saved: Head | undefined;
  #highest = 0;

  constructor(url: string, folder: string, log: (line: string) => void) {
    this.#url = url;
    this.#folder = folder;
    this.#log = log;
  }

  /** Number of the highest block that was seen. */
  get highest(): number {
    return this.#highest;
  }

  /** Writes everything now. @throws {Error} if anvil does not respond, or the disk is full. */
  async saveAll(): Promise<void> {
    this.#saved = await saveState(this.#url, { path: join(this.#folder, FILES.full) });
  }

  /** Follows the chain, from the block that was saved; without one, what it has now is in a file. */
  start(): void {
    this.#work = this.#follow();
  }

  /** Writes what came since the last time, and ends. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    await this.#saveNewBlocks().catch(() => {});
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    // A block that came since it was saved is a new one.
    this.#saved ??= await headOf(this.#url).catch(() => undefined);
    let failed = false;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await this.#saveNewBlocks();
        failed = false;
      } catch (error) {
        // An anvil that has ended is started again by its supervisor, with another saver.
        const isOfDisk = error instanceof Error && 'syscall' in error && 'path' in error;
        if (isOfDisk && !failed) this.#log(`The local chain cannot be saved: ${error.message}`);
        failed = true;
      }
      await this.#rest(performance.now() - began);
    }
  }

  /** @param tookMs milliseconds of the write before. */
  async #rest(tookMs: number): Promise<void> {
    const { signal } = this.#stopping;
    const began = performance.now();
    const hasRested = (factor: number) => performance.now() - began >= factor * tookMs;
    do {
      await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
      if (!hasRested(REST_FACTORS.least)) continue;
      const head = await headOf(this.#url).catch(() => undefined);
      if (head !== undefined && this.#isFarAhead(head)) return;
    } while (!(signal.aborted || hasRested(REST_FACTORS.usual)));
  }

  /** True if many blocks up to a head are not saved. */
  #isFarAhead({ number }: Head): boolean {
    return this.#saved !== undefined && number - this.#saved.number >= UNSAVED_BLOCKS;
  }

  async #saveNewBlocks(): Promise<void> {
    if (this.#saved === undefined) return;
    const newest = await headOf(this.#url);
    this.#highest = Math.max(this.#highest, newest.number);
    if (newest.hash === this.#saved.hash) return;
    const save = this.#isFarAhead(newest) ? saveWhilePaused : saveState;
    this.#saved = await save(this.#url, {
      path: join(this.#folder, FILES.recent),
      previous: join(this.#folder, FILES.previous),
    });
  }
}

/**
 * Mines empty blocks until a chain is as high as it was. Its readers have seen blocks that were lost with a kill: they wait
 * for others in their place, and Ponder does not begin on a chain whose finality has moved back.
 * @returns how many were mined.
 */
export async function mineUpTo(url: string, number: number): Promise<number> {
  const missing = number - (await headOf(url)).number;
  if (missing > 0) await request(url, 'anvil_mine', [`0x${missing.toString(16)}`]);
  return Math.max(0, missing);
}

interface Head {
  readonly hash: string;
  readonly number: number;
}

async function headOf(url: string): Promise<Head> {
  const block = (await request(url, 'eth_getBlockByNumber', ['latest', false])) as {
    readonly hash: string;
    readonly number: string;
  };
  return { hash: block.hash, number: Number(block.number) };
}

/** A file that a state is written to. */
interface Target {
  readonly path: string;
  /** Path to which the file that it replaces is moved; without one, the state has that of old blocks, too. */
  readonly previous?: string | undefined;
}

/**
 * Writes the state of one block. Anvil reads its blocks and its accounts one after the other, so a block that is mined in
 * between would be in the accounts alone. Then mining waits for a second try.
 * @returns the block.
 */
async function saveState(url: string, target: Target): Promise<Head> {
  return (await trySave(url, target)) ?? (await saveWhilePaused(url, target));
}

/** As `saveState`, while no block is mined. */
async function saveWhilePaused(url: string, target: Target): Promise<Head> {
  const mines = (await request(url, 'anvil_getAutomine', [])) as boolean;
  if (mines) await request(url, 'evm_setAutomine', [false]);
  try {
    const head = await trySave(url, target);
    if (head === undefined) throw new Error('the chain moved while it was read');
    return head;
  } finally {
    if (mines) await mineAgain(url);
  }
}

/** @returns `undefined` if the chain moved meanwhile: then nothing was replaced. */
async function trySave(url: string, { path, previous }: Target): Promise<Head | undefined> {
  const withHistory = previous === undefined;
  const before = await headOf(url);
  const part = await writePart(path, requestBytes(url, 'anvil_dumpState', [withHistory], DUMP_MS));
  const after = await headOf(url);
  if (before.hash !== after.hash) return undefined;
  if (previous !== undefined) await rename(path, previous).catch(ignoreMissing);
  await rename(part, path);
  return after;
}

/** Turns mining per transaction on again, and mines what has arrived meanwhile. */
async function mineAgain(url: string): Promise<void> {
  await request(url, 'evm_setAutomine', [true]);
  const { pending } = (await request(url, 'txpool_status', [])) as { readonly pending: string };
  if (Number(pending) > 0) await request(url, 'evm_mine', []);
}

/** Removes all files of a chain. */
export async function forgetChain(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}
