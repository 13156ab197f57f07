import { defineChain } from 'viem';
import { LOCAL_CHAIN_ID } from './chain-id.ts';

/** The only chain of the test wallet. It has no address: the wallet asks it through the service. */
export const localChain = defineChain({
  id: LOCAL_CHAIN_ID,
  name: 'Local chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});
