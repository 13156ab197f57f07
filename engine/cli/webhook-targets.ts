import type { Env } from '../env.ts';
import type { AddressOptions } from '../net/address-rules.ts';

/** Chain id of a local chain. */
const LOCAL_CHAIN = 31_337;

/** Addresses besides public ones that webhooks may be sent to: this machine's, for a local chain. */
export function webhookTargetsOf(
  { webhookAllowCidrs }: Pick<Env, 'webhookAllowCidrs'>,
  chainId: number,
): AddressOptions {
  return { allowCidrs: webhookAllowCidrs, allowLoopback: chainId === LOCAL_CHAIN };
}
