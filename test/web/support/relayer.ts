import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEther, parseGwei } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { inject } from 'vitest';
import { relayerChain } from '../../../engine/chain/relayer.ts';
import { readRunning } from '../../../engine/cli/running.ts';
import { closePool, openPool, type Pool } from '../../../engine/db/connection.ts';
import type { RelayOptions } from '../../../engine/keeper/relay-orders.ts';
import { testClient } from '../../support/chain.ts';

/** A relayer of the sample, which has none of its own: its orders would outlive the test that reverts the chain. */
export interface SampleRelayer {
  readonly pool: Pool;
  readonly options: RelayOptions;
  /** Gives its account the coin that pays for gas. */
  fund(): Promise<void>;
  /** Forgets what it reported and sent. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Connects a relayer to the database and the chain of the running sample. */
export async function sampleRelayer(): Promise<SampleRelayer> {
  const dataDir = join(inject('sampleFolder'), 'data');
  const running = await readRunning({ dataDir });
  if (running?.databaseUrl === undefined || running.rpcUrl === undefined) {
    throw new Error('the sample is not running');
  }
  const url = new URL(running.databaseUrl);
  url.password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim();
  const pool = openPool(url.href, { max: 2 });
  const account = privateKeyToAccount(generatePrivateKey());
  const { chainId, contractAddress, rpcUrl } = running;
  const chain = relayerChain({
    ...{ chainId, rpcUrls: [rpcUrl], contractAddress, startBlock: 0, account },
  });
  const options: RelayOptions = {
    ...{ pool, chain, clock: Date.now, maxGas: 1_000_000n, maxFeePerGas: parseGwei('100') },
    budget: { merchant: parseEther('1'), total: parseEther('1') },
  };
  return {
    ...{ pool, options },
    fund: () => testClient(rpcUrl).setBalance({ address: account.address, value: parseEther('9') }),
    async forget() {
      await pool`delete from commerce.relayed_transaction`;
      await pool`delete from commerce.signed_order`;
      await pool`delete from commerce.relayer`;
    },
    close: () => closePool(pool),
  };
}
