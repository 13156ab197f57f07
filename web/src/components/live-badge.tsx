import type { StreamState } from '../../../engine/client/index.ts';
import { countOf } from '../format.ts';
import { blocksBehind, useStatus } from '../status.ts';
import { Badge } from './badge.tsx';

/**
 * Says whether a page follows the chain as it changes: the stream is open, the service answers, its RPC
 * answers, and the settled block is near the chain's head.
 */
export function LiveBadge({ state }: { readonly state: StreamState | 'closed' }) {
  const { data, error } = useStatus();
  if (state === 'connecting') return <Badge tone="plain">connecting</Badge>;
  if (state !== 'open' || error !== null) return <Badge tone="plain">not live</Badge>;
  const status = data?.data;
  if (status?.chainSilentSince) return <Badge tone="warn">not live: chain silent</Badge>;
  const behind = status === undefined ? 0 : blocksBehind(status);
  if (behind > 0) return <Badge tone="warn">{countOf(behind, 'block')} behind</Badge>;
  return <Badge tone="good">live</Badge>;
}
