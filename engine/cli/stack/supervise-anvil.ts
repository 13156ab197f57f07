import { readFile } from 'node:fs/promises';
import { type Anvil, type AnvilOptions, request, startAnvil } from './anvil.ts';
import { CannotRestartError, type Supervised, supervise } from './supervise.ts';

/** Options of `superviseAnvil`. */
export type SuperviseAnvilOptions = Omit<AnvilOptions, 'port' | 'statePath'> & {
  /** File that anvil writes the chain to, every minute and at its end. */
  readonly statePath: string;
  readonly genesisTimestamp: number;
  readonly log: (line: string) => void;
};

/**
 * Runs anvil, and restarts it on the same port if it ends unexpectedly. Blocks since the last write of
 * its state are lost, which is a reorg for its readers. A chain whose state was never written, or is
 * damaged, cannot be restarted.
 */
export async function superviseAnvil(
  options: SuperviseAnvilOptions,
): Promise<{ url: string; anvil: Supervised<Anvil> }> {
  let running:
    | { readonly port: number; readonly url: string; readonly genesis: string }
    | undefined;
  const anvil = await supervise({
    name: 'The local chain (anvil)',
    log: options.log,
    start: async () => {
      if (running !== undefined) return await startAgain(options, running);
      const first = await startAnvil(options);
      running = { port: first.port, url: first.url, genesis: await genesisOf(first.url) };
      return first;
    },
  });
  if (running === undefined) throw new Error('anvil was supervised before it was started');
  return { url: running.url, anvil };
}

async function startAgain(
  options: SuperviseAnvilOptions,
  { port, genesis }: { readonly port: number; readonly genesis: string },
): Promise<Anvil> {
  if (!(await isWhole(options.statePath))) throw new CannotRestartError(LOST);
  const anvil = await startAnvil({ ...options, port });
  if ((await genesisOf(anvil.url)) === genesis) return anvil;
  await anvil.stop();
  throw new CannotRestartError(LOST);
}

const LOST =
  'The local chain ended before its state was written, so its blocks are lost: start again, for a new chain.';

/** True if the state file is complete; anvil may have been killed while it wrote. */
async function isWhole(statePath: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(statePath, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

async function genesisOf(url: string): Promise<string> {
  const block = (await request(url, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  return block.hash;
}
