import { type Anvil, type AnvilOptions, request, startAnvil } from './anvil.ts';
import { prepareState, StateSaver, stateAtEnd } from './chain-state.ts';
import { CannotRestartError, type Supervised, supervise } from './supervise.ts';

/** Options of `superviseAnvil`. */
export type SuperviseAnvilOptions = Omit<
  AnvilOptions,
  'port' | 'statePath' | 'stateIntervalSeconds'
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
      const loadPath = running === undefined ? options.loadPath : await prepareState(folder);
      if (running !== undefined && loadPath === undefined) throw new CannotRestartError(LOST);
      const started = await startAnvil({
        ...options,
        statePath: stateAtEnd(folder),
        stateIntervalSeconds: NEVER_SECONDS,
        ...(loadPath !== undefined && { loadPath }),
        ...(running !== undefined && { port: running.port }),
      });
      const { port, url } = started;
      const genesis = await genesisOf(url);
      if (running !== undefined && running.genesis !== genesis) {
        await started.kill();
        throw new CannotRestartError(LOST);
      }
      running = { port, url, genesis };
      isFollowed ||= loadPath !== undefined;
      follow(url);
      return started;
    },
  });
  if (running === undefined) throw new Error('anvil was supervised before it was started');
  const { url } = running;
  return {
    url,
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

const LOST =
  'The local chain ended before its state was written, so its blocks are lost: start again, for a new chain.';

async function genesisOf(url: string): Promise<string> {
  const block = (await request(url, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  return block.hash;
}
