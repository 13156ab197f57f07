import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import { freePort } from './free-port.ts';
import { type Child, spawnChild } from './processes.ts';

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
  /** Timeout of the start in milliseconds: reading a long history takes time. */
  timeoutMs?: number;
};

/**
 * Starts anvil on 127.0.0.1 and waits until it answers. `stop` lets it write its state.
 *
 * @throws {Error} if there is no binary for this platform, or anvil ends or does not respond.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { chainId = LOCAL_CHAIN_ID, timeoutMs = 60_000, statePath } = options;
  if (statePath && options.genesisTimestamp === undefined) {
    throw new Error('a chain with a statePath needs the timestamp of its genesis block');
  }
  const continued = statePath !== undefined && existsSync(statePath);
  if (statePath) await mkdir(dirname(statePath), { recursive: true });
  const boundFile = join(tmpdir(), `tributary-anvil-${randomUUID()}.json`);
  const child = spawnChild({
    name: 'anvil',
    command: anvilBinary(),
    args: [...anvilArguments(options, port, chainId), '--config-out', boundFile],
    logFile: options.logFile,
    stopSignal: 'SIGINT',
    // Writing a long history takes seconds, and killing anvil meanwhile would lose the chain.
    graceMs: 60_000,
  });
  const bound = () => existsSync(boundFile);
  await answering({ url, child, chainId, bound, logFile: options.logFile, timeoutMs }).finally(() =>
    rm(boundFile, { force: true }),
  );
  if (continued) await restoreClock(url);
  return { ...child, url, port };
}

function anvilArguments(options: AnvilOptions, port: number, chainId: number): string[] {
  const { statePath, stateIntervalSeconds, blockTimeSeconds, genesisTimestamp, accounts } = options;
  const flags: [string, string | number | undefined][] = [
    ['--host', '127.0.0.1'],
    ['--port', port],
    ['--chain-id', chainId],
    ['--state', statePath],
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
  readonly timeoutMs: number;
}

async function answering(what: Answering): Promise<void> {
  const { url, child, chainId, bound, logFile, timeoutMs } = what;
  const deadline = Date.now() + timeoutMs;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  while (!ended && Date.now() < deadline) {
    const answer = bound() ? await readChainId(url) : undefined;
    if (answer === chainId && !ended) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await child.kill();
  const reason = ended ? 'ended immediately' : `did not respond within ${timeoutMs} ms`;
  throw new Error(`anvil ${reason} (port ${new URL(url).port}): see ${logFile}.`);
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

/** Calls an RPC on this machine. @throws {Error} if it does not respond, or returns an error. */
export async function request(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(5_000),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/** Path of the binary without the package's wrapper, so that signals and pids are the chain's own. */
function anvilBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  try {
    const require = createRequire(import.meta.url);
    const parent = require.resolve('@foundry-rs/anvil/package.json');
    const found = createRequire(parent).resolve(`${name}/package.json`);
    return join(dirname(found), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch (cause) {
    throw new Error(
      `There is no anvil for ${process.platform} ${process.arch} (${name} is not installed): set CHAIN_ID, RPC_URL, CONTRACT_ADDRESS and START_BLOCK.`,
      { cause },
    );
  }
}
