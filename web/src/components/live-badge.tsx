import type { StreamState } from '../../../engine/client/index.ts';
import { Badge } from './badge.tsx';

/** Whether a page follows the ledger as it changes. */
export function LiveBadge({ state }: { readonly state: StreamState | 'closed' }) {
  if (state === 'open') return <Badge tone="good">live</Badge>;
  return <Badge tone="plain">{state === 'connecting' ? 'connecting' : 'not live'}</Badge>;
}
