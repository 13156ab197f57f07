import { vi } from 'vitest';
import { contractReader } from '../../../engine/chain/contract-reader.ts';
import { chainOf } from '../../../engine/cli/connect.ts';
import type { Anvil } from '../../../engine/cli/stack/anvil.ts';
import type { Address } from '../../../engine/core/events.ts';
import type { AppDeps } from '../../../engine/http/deps.ts';
import { serveApi } from '../../../engine/http/serve.ts';
import { runAudit } from '../../../engine/settlement/audit.ts';
import { type Actors, actorsOf } from '../../../sample/actors.ts';
import { fillCommerce } from '../../../sample/commerce/fill-commerce.ts';
import { writeSampleProfiles } from '../../../sample/profiles.ts';
import { runSample, SAMPLE_SEED } from '../../../sample/run-sample.ts';
import { START, startSampleAnvil } from '../../sample/fixture.ts';
import { testClient } from '../../support/chain.ts';
import { factsFrom, factsOfChain, lower } from '../../support/facts.ts';
import { ApiFixture, CHAIN_ID } from './api-fixture.ts';

/** Origin of the site in the responses. */
export const ORIGIN = 'https://tributary.example';

/** Unix milliseconds at which everybody acts: a minute after the newest block of the sample. */
export const NOW = (START + 30 * 86_400 + 60) * 1_000;

/** Blocks at the end of the chain that are not final yet. */
const UNFINAL_BLOCKS = 20;

/**
 * The API over the sample: its history on a real chain, settled, and what its accounts write. The time is
 * fixed, so that each run has the same responses, except for ids and secrets.
 */
export class SampleApi {
  private constructor(
    readonly fixture: ApiFixture,
    readonly actors: Actors,
    private readonly anvil: Anvil,
  ) {}

  /** @param changes what the API needs otherwise, such as its storage. */
  static async open(changes: Partial<AppDeps> = {}): Promise<SampleApi> {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    const anvil = await startSampleAnvil();
    const { contractAddress, deployBlock } = await runSample({
      rpcUrl: anvil.url,
      startTimestamp: START,
    });
    const client = testClient(anvil.url);
    const { hash: genesisHash } = await client.getBlock({ blockNumber: 0n });
    const actors = actorsOf(SAMPLE_SEED);
    const contract = lower(contractAddress);
    const chainEnv = { chainId: CHAIN_ID, rpcUrls: [anvil.url], startBlock: deployBlock };
    const chain = { ...chainEnv, contractAddress: contract };
    let calls = 0;
    const fixture = await ApiFixture.open({
      client,
      deployment: {
        chainId: CHAIN_ID,
        genesisHash,
        contractAddress: contract,
        startBlock: deployBlock,
        explorerUrl: 'https://explorer.example',
      },
      allowedOrigins: [ORIGIN],
      publicUrl: ORIGIN,
      operators: [lower(actors.operator.address)],
      clock: () => {
        // Each call is later than the one before, which orders what is stored. None is at a whole second, so that
        // its times differ from those of the chain.
        calls += 1;
        return NOW + 1 + Math.floor(calls / 998) * 1_000 + (calls % 998);
      },
      ...changes,
    });
    const sample = new SampleApi(fixture, actors, anvil);
    const facts = factsFrom(await factsOfChain({ client, contract }));
    const head = facts.at(-1)?.blockNumber ?? 0;
    await writeSampleProfiles(fixture.pool);
    await fixture.settle(facts, { chain: chainOf(chain), finalized: head - UNFINAL_BLOCKS });
    await sample.#fill();
    await runAudit(fixture.pool, contractReader(chain));
    return sample;
  }

  /** RPC of the chain. */
  get rpcUrl(): string {
    return this.anvil.url;
  }

  async #fill(): Promise<void> {
    const { deps, pool } = this.fixture;
    const server = await serveApi({ ...deps, port: 0, host: '127.0.0.1' });
    try {
      await fillCommerce({ apiUrl: server.url, origin: ORIGIN, pool, onProgress: () => {} });
    } finally {
      await server.stop();
    }
  }

  async close(): Promise<void> {
    vi.useRealTimers();
    await this.fixture.close();
    await this.anvil.stop();
  }
}

/** Address of an account of the sample, as sessions store it. */
export function addressOf({ address }: { readonly address: string }): Address {
  return lower(address);
}
