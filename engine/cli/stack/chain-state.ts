import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { request } from './anvil.ts';

/*
 * Anvil keeps its chain in memory. It writes a file when it is told to end, which a kill prevents, and which a kill
 * meanwhile leaves torn. So its supervisor also asks it for its state after new blocks, and replaces a file by each
 * answer in one step.
 */

/** The files of a chain, in its folder. */
const FILES = {
  /** Everything, as anvil writes it when it is told to end. */
  atEnd: 'state.json',
  /** The chain without the state of old blocks: a few seconds old at most. */
  recent: 'recent.json.gz',
  /** Everything, as of the end of the sample. */
  full: 'full.json.gz',
  /** What the next anvil reads, made of the others. */
  load: 'load.json',
} as const;

/** Path of the file that anvil writes when it is told to end. */
export function stateAtEnd(folder: string): string {
  return join(folder, FILES.atEnd);
}

interface State {
  readonly best_block_number: number;
  /** Hashes of blocks, each with the accounts as of it. */
  readonly historical_states?: readonly (readonly [hash: string, state: unknown])[] | null;
}

/**
 * Prepares the newest whole state for anvil to read. If it lacks the state of old blocks, those of an older file are added.
 * @returns `undefined` if there is none: the chain is new, or was killed before it was written for the first time.
 */
export async function prepareState(folder: string): Promise<string | undefined> {
  const paths = [FILES.atEnd, FILES.recent, FILES.full].map((name) => join(folder, name));
  const dated = await Promise.all(paths.map(async (path) => ({ path, at: await writtenAt(path) })));
  const newestFirst = dated.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at);
  let newest: State | undefined;
  for (const { path } of newestFirst) {
    const state = await readState(path);
    if (state === undefined) continue;
    // Anvil reads its own file as it is.
    if (newest === undefined && path === join(folder, FILES.atEnd)) return path;
    newest ??= state;
    if (!state.historical_states?.length) continue;
    newest = { ...newest, historical_states: state.historical_states };
    break;
  }
  if (newest === undefined) return undefined;
  const load = join(folder, FILES.load);
  await writeWhole(load, JSON.stringify(newest));
  return load;
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
async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

/** Milliseconds between two polls for a new block. */
const POLL_MS = 500;

/** Between two writes anvil works for its readers: this many times as long as the first took. */
const REST_FACTOR = 4;

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

  constructor(url: string, folder: string, log: (line: string) => void) {
    this.#url = url;
    this.#folder = folder;
    this.#log = log;
  }

  /** Writes everything now. @throws {Error} if anvil does not respond, or the disk is full. */
  async saveAll(): Promise<void> {
    const { state } = await consistentState(this.#url, true);
    await writeWhole(join(this.#folder, FILES.full), state);
  }

  /** Follows the chain. What it has now is in a file. */
  start(): void {
    this.#work = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    let saved = await headOf(this.#url).catch(() => undefined);
    let failed = false;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        if ((await headOf(this.#url)).hash !== saved?.hash) {
          const { state, ...head } = await consistentState(this.#url, false);
          await writeWhole(join(this.#folder, FILES.recent), state);
          saved = head;
        }
        failed = false;
      } catch (error) {
        // An anvil that has ended is started again by its supervisor, with another saver.
        const isOfDisk = error instanceof Error && 'syscall' in error && 'path' in error;
        if (isOfDisk && !failed) this.#log(`The local chain cannot be saved: ${error.message}`);
        failed = true;
      }
      const rest = Math.max(POLL_MS, REST_FACTOR * (performance.now() - began));
      await setTimeout(rest, undefined, { signal }).catch(() => {});
    }
  }
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

/**
 * State of one block. Anvil reads its blocks and its accounts one after the other, so a block that is mined in between
 * would be in the accounts alone. Then mining waits for the second try.
 */
async function consistentState(
  url: string,
  withHistory: boolean,
): Promise<Head & { readonly state: Uint8Array }> {
  const first = await tryState(url, withHistory);
  if (first !== undefined) return first;
  const mines = (await request(url, 'anvil_getAutomine', [])) as boolean;
  if (mines) await request(url, 'evm_setAutomine', [false]);
  try {
    const second = await tryState(url, withHistory);
    if (second === undefined) throw new Error('the chain moved while it was read');
    return second;
  } finally {
    if (mines) await mineAgain(url);
  }
}

async function tryState(url: string, withHistory: boolean) {
  const before = await headOf(url);
  const hex = (await request(url, 'anvil_dumpState', [withHistory], DUMP_MS)) as string;
  const after = await headOf(url);
  return before.hash === after.hash
    ? { ...after, state: Buffer.from(hex.slice(2), 'hex') }
    : undefined;
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
