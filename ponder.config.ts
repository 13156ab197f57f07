import { createConfig } from 'ponder';
import { referralCommerceAbi } from './abis/referralCommerce.ts';

/**
 * Reads an environment variable of the indexer; `engine/cli/stack/indexer.ts` sets them for each run.
 * @throws {Error} if it is not set.
 */
function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the indexer with \`npm start\`.`);
  return value;
}

export default createConfig({
  database: { kind: 'postgres', connectionString: variable('DATABASE_URL') },
  chains: {
    chain: {
      id: Number(variable('CHAIN_ID')),
      rpc: variable('RPC_URL').split(','),
      ...(process.env.RPC_WS_URL ? { ws: process.env.RPC_WS_URL } : {}),
      pollingInterval: Number(variable('POLLING_INTERVAL_MS')),
    },
  },
  contracts: {
    ReferralCommerce: {
      abi: referralCommerceAbi,
      chain: 'chain',
      address: variable('CONTRACT_ADDRESS') as `0x${string}`,
      startBlock: Number(variable('START_BLOCK')),
    },
  },
});
