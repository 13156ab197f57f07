/*
 * The demo of a local chain: test accounts that a page may sign with, and test money. It exists only where
 * `tributary start` runs its own anvil.
 */

/** Name of the `<meta>` tag with the demo's roles, in the file of all pages. Without a demo there is none. */
export const DEMO_META = 'tributary-demo';

/** Roles that a visitor can try. */
export const demoRoles = ['merchant', 'partner', 'buyer'] as const;

export type DemoRole = (typeof demoRoles)[number];

/** Person of the demo as pages know it, without the key. */
export interface DemoPerson {
  readonly role: DemoRole;
  readonly name: string;
  readonly address: `0x${string}`;
}

/** Content of the `<meta>` tag, as JSON. */
export interface DemoTag {
  readonly chainId: number;
  readonly people: readonly DemoPerson[];
}

/** A role with the key that signs for it: a key of the sample, which its source code shows to everybody. */
export interface DemoAccount extends DemoPerson {
  readonly privateKey: `0x${string}`;
}

/** Money that one call of the faucet has sent. */
export interface DemoMoney {
  readonly token: { readonly symbol: string; readonly decimals: number };
  /** Base units. */
  readonly amount: string;
  /** Wei. */
  readonly gas: string;
}

/** Routes of the demo, on the origin of the pages. */
export const demoPaths = {
  accounts: '/demo/accounts',
  rpc: '/demo/rpc',
  faucet: '/demo/faucet',
} as const;

/**
 * Methods of the chain that a page may call through `demoPaths.rpc`: reads, and sending what is signed already. None
 * lets anvil sign, or changes the chain in another way.
 */
export const demoRpcMethods = [
  ...(['eth_chainId', 'eth_blockNumber', 'eth_getBlockByNumber', 'eth_getBalance'] as const),
  ...(['eth_getTransactionCount', 'eth_getTransactionByHash'] as const),
  ...(['eth_getTransactionReceipt', 'eth_call', 'eth_estimateGas', 'eth_gasPrice'] as const),
  ...(['eth_maxPriorityFeePerGas', 'eth_feeHistory', 'eth_sendRawTransaction'] as const),
] as const;

export type DemoRpcMethod = (typeof demoRpcMethods)[number];
