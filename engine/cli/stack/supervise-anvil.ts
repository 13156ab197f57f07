import { rm } from 'node:fs/promises';
import { type Anvil, type AnvilOptions, request, startAnvil } from './anvil.ts';
import { isOfOneMoment, mineUpTo, StateSaver, stateAtEnd, storedStates } from './chain-state.ts';
import { CannotRestartError, type Supervised, supervise } from './supervise.ts';

/** Options of `superviseAnvil`. */
export type SuperviseAnvilOptions = Omit<
  AnvilOptions,
  'port' | 'statePath' | 'loadPath' | 'stateIntervalSeconds'
> & {
  /** Folder of the chain's state. */
  readonly folder: string;
  readonly genesisTimestamp: number;
  readonly log: (line: string) => void;
};

/** An anvil that is restarted, and whose chain outlives it. */
export interface SupervisedAnvil {
  readonly url: string;
  readonly anvil: Supervised<Anvil>;
  /** True if the chain was stored before. */
  readonly isStored: boolean;
  /** Writes the whole chain, which makes it survive a kill; from then on it is followed. */
  save(): Promise<void>;
}

/** Anvil writes its state only at its end: `StateSaver` does so meanwhile. */
const NEVER_SECONDS = 1_000_000_000;

/**
 * Runs anvil, and restarts it on the same port if it ends unexpectedly, with the state that was saved after its last
 * blocks. Blocks since then are lost, which is a reorg for its readers. A chain that was never saved cannot be restarted.
 */
export async function superviseAnvil(options: SuperviseAnvilOptions): Promise<SupervisedAnvil> {
  const { folder, log } = options;
  let running:
    | { readonly port: number; readonly url: string; readonly genesis: string }
    | undefined;
  let saver: StateSaver | undefined;
  let isFollowed = false;
  const follow = (url: string) => {
    saver = new StateSaver(url, folder, log);
    if (isFollowed) saver.start();
    return saver;
  };
  const anvil = await supervise({
    name: 'The local chain (anvil)',
    log,
    start: async () => {
      await saver?.stop();
      const { started, isStored } = await startFromState(options, running?.port);
      const { port, url } = started;
      const genesis = await genesisOf(url);
      if (running !== undefined && (running.genesis !== genesis || !isStored)) {
        await started.kill();
        throw new CannotRestartError(LOST);
      }
      if (running !== undefined) await mineUpTo(url, saver?.highest ?? 0);
      running = { port, url, genesis };
      isFollowed ||= isStored;
      follow(url);
      return started;
    },
  });
  if (running === undefined) throw new Error('anvil was supervised before it was started');
  const { url } = running;
  return {
    url,
    isStored: isFollowed,
    anvil: {
      ...anvil,
      stop: async () => {
        await saver?.stop();
        await anvil.stop();
      },
    },
    save: async () => {
      await saver?.saveAll();
      if (!isFollowed) saver?.start();
      isFollowed = true;
    },
  };
}

/** Starts anvil with the newest state that is of one moment; otherwise with the newest, or with none. */
async function startFromState(
  options: SuperviseAnvilOptions,
  port: number | undefined,
): Promise<{ readonly started: Anvil; readonly isStored: boolean }> {
  const { folder, log } = options;
  const startWith = (loadPath?: string) =>
    startAnvil({
      ...options,
      statePath: stateAtEnd(folder),
      stateIntervalSeconds: NEVER_SECONDS,
      ...(loadPath !== undefined && { loadPath }),
      ...(port !== undefined && { port }),
    });
  let newest: string | undefined;
  for await (const { source, path } of storedStates(folder)) {
    const started = await startWith(path);
    if (await isOfOneMoment(started.url)) return { started, isStored: true };
    await started.kill();
    log(`${source} has accounts of a later block than its last: an older file is used.`);
    newest ??= source;
  }
  for await (const { source, path } of storedStates(folder)) {
    // Somebody may have changed accounts without a block.
    if (source === newest) return { started: await startWith(path), isStored: true };
  }
  // It would be read if it is there, and is torn.
  await rm(stateAtEnd(folder), { force: true });
  return { started: await startWith(), isStored: false };
}

const LOST =
  'The local chain ended before its state was written, so its blocks are lost: start again, for a new chain.';

async function genesisOf(url: string): Promise<string> {
  const block = (await request(url, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  return block.hash;
}
