import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runSample } from '../../../sample/run-sample.ts';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import { countOf } from '../../core/count-of.ts';
import type { Pool } from '../../db/connection.ts';
import { readHeads } from '../../db/heads.ts';
import { readIndexerHead } from '../../db/indexer/head.ts';
import type { ChainEnv } from '../../env.ts';
import type { Anvil } from '../stack/anvil.ts';
import { forgetChain, mineUpTo } from '../stack/chain-state.ts';
import type { Supervised } from '../stack/supervise.ts';
import { superviseAnvil } from '../stack/supervise-anvil.ts';

/** The embedded chain, with the sample history on it. */
export interface LocalChain {
  readonly chain: ChainEnv;
  readonly anvil: Supervised<Anvil>;
}

/** Seconds that the sample history spans; it ends about now. */
const SAMPLE_SECONDS = 30 * 86_400;

/** File that marks a complete sample; without it the chain is created again. */
const markerSchema = z.object({
  contractAddress: z.templateLiteral(['0x', z.string()]),
  startBlock: z.number().int(),
  /** Unix seconds of the genesis block, which anvil makes again at each start. */
  genesisTimestamp: z.number().int(),
});
type Marker = z.infer<typeof markerSchema>;

export interface LocalChainOptions {
  readonly dataDir: string;
  readonly onProgress: (text: string) => void;
  /** Receives a line when the chain ends, and when it is running again. */
  readonly log: (line: string) => void;
}

/** Starts anvil with its last state, or the first time with the sample history. */
export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const folder = join(options.dataDir, 'chain');
  const stored = await readMarker(folder);
  // An interrupted sample is played again.
  if (stored === undefined) await forgetChain(folder);
  const genesisTimestamp =
    stored?.genesisTimestamp ?? Math.floor(Date.now() / 1_000) - SAMPLE_SECONDS;
  const { url, anvil, isStored, save } = await superviseAnvil({
    logFile: join(options.dataDir, 'logs', 'anvil.log'),
    folder,
    log: options.log,
    genesisTimestamp,
  });
  const marker = isStored ? stored : undefined;
  try {
    const { contractAddress, startBlock } =
      marker ?? (await runAndMark({ folder, url, genesisTimestamp, save }, options));
    return {
      anvil,
      chain: { chainId: LOCAL_CHAIN_ID, rpcUrls: [url], contractAddress, startBlock },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** Blocks behind the head that Ponder takes for final on a local chain. */
const PONDER_FINALITY = 30;

/**
 * Makes the local chain as high as its readers have seen it. After a kill its last blocks may be lost.
 * @param pool the database of the ledger.
 */
export async function restoreHeight(
  pool: Pool,
  { rpcUrls: [url = ''] }: ChainEnv,
  log: (line: string) => void,
): Promise<void> {
  const heads = await readHeads(pool);
  if (heads === undefined) return;
  const indexer = await readIndexerHead(pool, heads.indexerSchema).catch(() => undefined);
  const seen = [
    heads.chainNumber ?? 0,
    indexer?.blockNumber ?? 0,
    (indexer?.finalizedNumber ?? -PONDER_FINALITY) + PONDER_FINALITY,
  ];
  const mined = await mineUpTo(url, Math.max(...seen));
  if (mined > 0) {
    log(
      `The local chain lost ${countOf(mined, 'block')} when it was killed, and made as many empty ones.`,
    );
  }
}

/** A chain without a history. */
interface NewChain {
  readonly folder: string;
  readonly url: string;
  readonly genesisTimestamp: number;
  save(): Promise<void>;
}

async function runAndMark(
  { folder, url, genesisTimestamp, save }: NewChain,
  { onProgress }: LocalChainOptions,
): Promise<Marker> {
  const result = await runSample({ rpcUrl: url, startTimestamp: genesisTimestamp, onProgress });
  onProgress('Saving the local chain');
  await save();
  const marker: Marker = {
    contractAddress: result.contractAddress,
    startBlock: Number(result.deployBlock),
    genesisTimestamp,
  };
  await writeFile(join(folder, 'sample.json'), `${JSON.stringify(marker)}\n`);
  return marker;
}

async function readMarker(folder: string): Promise<Marker | undefined> {
  try {
    return markerSchema.parse(JSON.parse(await readFile(join(folder, 'sample.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
