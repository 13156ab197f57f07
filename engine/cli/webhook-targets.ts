import { LOCAL_CHAIN_ID } from '../chain/rpc-chain.ts';
import type { Env } from '../env.ts';
import type { WebhookUrlOptions } from '../net/webhook-url.ts';
import { publicUrlOf } from './public-url.ts';

/**
 * URLs that may receive webhooks: of public addresses, of the operator's ranges, and of this machine for a local
 * chain; never of this service.
 */
export function webhookTargetsOf(
  env: Pick<Env, 'webhookAllowCidrs' | 'publicUrl' | 'host' | 'port'>,
  chainId: number,
): WebhookUrlOptions {
  return {
    allowCidrs: env.webhookAllowCidrs,
    allowLoopback: chainId === LOCAL_CHAIN_ID,
    ownUrl: publicUrlOf(env),
  };
}
