import { LOCAL_CHAIN_ID } from '../chain/rpc-chain.ts';
import type { Env } from '../env.ts';
import type { AddressOptions } from '../net/address-rules.ts';

/** Addresses besides public ones that webhooks may be sent to: this machine's, for a local chain. */
export function webhookTargetsOf(
  { webhookAllowCidrs }: Pick<Env, 'webhookAllowCidrs'>,
  chainId: number,
): AddressOptions {
  return { allowCidrs: webhookAllowCidrs, allowLoopback: chainId === LOCAL_CHAIN_ID };
}
