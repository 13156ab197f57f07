import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import { freePort } from './free-port.ts';
import { Patience, processorTime } from './patience.ts';
import { anvilPackage, findPrograms } from './platform-package.ts';
import { type Child, describeExit, type Exit, spawnChild } from './processes.ts';

/** A running local chain. */
export type Anvil = Pick<Child, 'pid' | 'exited' | 'stop' | 'kill'> & {
  readonly url: string;
  readonly port: number;
};

/** Options of `startAnvil`. */
export type AnvilOptions = {
  /** The file that its output is appended to. */
  logFile: string;
  /** Default: a free port. */
  port?: number;
  chainId?: number;
  /**
   * File that stores the chain and its history between starts. Default: none. It contains the full
   * state of every block, so it grows with the square of the chain's length: 600 sales in as many
   * blocks took 157 MB, in 39 blocks 12 MB.
   */
  statePath?: string;
  /** File with the chain to continue. Default: `statePath`, if it exists. */
  loadPath?: string;
  /** Seconds between two writes of the state; it is also written at the end. */
  stateIntervalSeconds?: number;
  /** Seconds between blocks. Default: one block per transaction. */
  blockTimeSeconds?: number;
  /**
   * Unix seconds of the genesis block. Default: now, so that every chain is different. A chain with a
   * `statePath` needs the same value at every start: anvil makes a genesis block before it reads the
   * file, writes both, and of two different ones returns either.
   */
  genesisTimestamp?: number;
  /** Number of funded accounts of the well-known mnemonic. */
  accounts?: number;
  /**
   * RPC of another anvil, whose chain this one continues. It then has no state roots, and mining does
   * not slow down with the length of the chain.
   */
  continues?: string;
  /** Rules of another family of chains. Default: Ethereum's. */
  family?: 'optimism' | 'celo';
  /** True if blocks come on request only, with their transactions in the order in which those were sent. */
  onRequest?: boolean;
};

/** Seconds of a free machine in which an anvil that does nothing must have responded. */
const START_SECONDS = 60;

/** Ports that are tried if another program takes one between its choice and anvil's start. */
const MAX_PORTS = 5;

/**
 * Starts anvil on 127.0.0.1 and waits until it answers. `stop` lets it write its state. Without a port of its own, another
 * one is tried if the first was taken meanwhile.
 *
 * @throws {Error} if there is no binary for this platform, or anvil ends or does not respond.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  if (options.statePath && options.genesisTimestamp === undefined) {
    throw new Error('a chain with a statePath needs the timestamp of its genesis block');
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await startAt(options.port ?? (await freePort()), options);
    } catch (error) {
      const isLast = options.port !== undefined || tries === MAX_PORTS;
      if (isLast || !isAddressTaken(error)) throw error;
    }
  }
}

async function startAt(port: number, options: AnvilOptions): Promise<Anvil> {
  const url = `http://127.0.0.1:${port}`;
  const { chainId = LOCAL_CHAIN_ID, statePath, loadPath = statePath, logFile } = options;
  const continued = loadPath !== undefined && existsSync(loadPath);
  if (statePath) await mkdir(dirname(statePath), { recursive: true });
  // Its own place for old states would be the account's home folder, where a killed anvil leaves them.
  const folder = await mkdtemp(join(tmpdir(), 'tributary-anvil-'));
  const boundFile = join(folder, 'bound.json');
  const places = ['--config-out', boundFile, '--cache-path', folder];
  const child = spawnChild({
    name: 'anvil',
    command: anvilBinary(),
    args: [...anvilArguments(options, port, chainId), ...places],
    logFile,
    stopSignal: 'SIGINT',
    // Writing a long history takes seconds, and killing anvil meanwhile would lose the chain.
    graceMs: 60_000,
  });
  const exited = child.exited.then(async (exit) => {
    await rm(folder, { recursive: true, force: true });
    return exit;
  });
  const ends = (end: () => Promise<Exit>) => () =>
    Promise.all([exited, end()]).then(([exit]) => exit);
  const bound = () => existsSync(boundFile);
  await answering({ url, child, chainId, bound, logFile });
  if (continued) await restoreClock(url);
  return { pid: child.pid, exited, stop: ends(child.stop), kill: ends(child.kill), url, port };
}

/** True if anvil ended because another program listens on its port. */
function isAddressTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Address already in use');
}

const familyArguments = { optimism: ['--network', 'optimism'], celo: ['--celo'] } as const;

function anvilArguments(options: AnvilOptions, port: number, chainId: number): string[] {
  const { statePath, loadPath, stateIntervalSeconds, blockTimeSeconds } = options;
  const { genesisTimestamp, accounts } = options;
  const flags: [string, string | number | undefined][] = [
    ['--host', '127.0.0.1'],
    ['--port', port],
    ['--chain-id', chainId],
    [loadPath === undefined ? '--state' : '--dump-state', statePath],
    ['--load-state', loadPath],
    ['--state-interval', statePath && stateIntervalSeconds],
    ['--block-time', blockTimeSeconds],
    ['--timestamp', genesisTimestamp],
    ['--accounts', accounts],
  ];
  return [
    // Otherwise it prints every request, ten times a second.
    '--silent',
    ...(statePath ? ['--preserve-historical-states'] : []),
    ...(options.continues ? ['--prune-history', '--fork-url', options.continues] : []),
    ...(options.family ? familyArguments[options.family] : []),
    ...(options.onRequest ? ['--no-mining', '--order', 'fifo'] : []),
    ...flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)])),
  ];
}

/** Condition of the start: this anvil responds, and not another one on its port. */
interface Answering {
  readonly url: string;
  readonly child: Child;
  readonly chainId: number;
  /** True once this anvil has the port: only then does it write its configuration file. */
  readonly bound: () => boolean;
  readonly logFile: string;
}

async function answering(what: Answering): Promise<void> {
  const { url, child, chainId, bound, logFile } = what;
  const patience = new Patience(START_SECONDS);
  const { port } = new URL(url);
  let end: Exit | undefined;
  void child.exited.then((exit) => {
    end = exit;
  });
  for (let work = 0; end === undefined; await patience.pause(25)) {
    const answer = bound() ? await readChainId(url) : undefined;
    if (answer === chainId && end === undefined) return;
    // Reading a long history takes time.
    const now = processorTime(child.pid);
    if (now > work) patience.progressed();
    work = now;
    if (!patience.isOver) continue;
    await child.kill();
    throw new Error(
      `anvil does not respond, and has done nothing for ${START_SECONDS} s (port ${port}): see ${logFile}.`,
    );
  }
  const why = end.reason === undefined ? 'it gave no reason' : end.reason;
  throw new Error(
    `anvil ended immediately (port ${port}), ${describeExit(end)}: ${why} (see ${logFile}).`,
  );
}

async function readChainId(url: string): Promise<number | undefined> {
  try {
    return Number(await request(url, 'eth_chainId', []));
  } catch {
    return undefined;
  }
}

/**
 * Anvil's state keeps blocks but not the clock, which is at the genesis block again. Sets it to now, or
 * to the last block if that is ahead: otherwise the next block would be older than the last, and event
 * ids would go backwards.
 */
async function restoreClock(url: string): Promise<void> {
  const head = (await request(url, 'eth_getBlockByNumber', ['latest', false])) as BlockTime;
  const seconds = Math.max(Number(head.timestamp), Math.floor(Date.now() / 1000));
  await request(url, 'evm_setTime', [seconds]);
}

type BlockTime = { readonly timestamp: string };

/** Milliseconds that an RPC on this machine may take to answer while the machine is busy. */
const REQUEST_MS = 30_000;

/** Calls an RPC on this machine. @throws {Error} if it does not respond, or returns an error. */
export async function request(
  url: string,
  method: string,
  params: readonly unknown[],
  timeoutMs = REQUEST_MS,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/** Path of the binary without the package's wrapper, so that signals and pids are the chain's own. */
function anvilBinary(): string {
  const program = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  return join(dirname(findPrograms(anvilPackage)), 'bin', program);
}
