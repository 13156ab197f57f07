import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import { Badge, type Tone } from './badge.tsx';

type State = DataOf<Client['campaigns']['list']>['items'][number]['state'];

const names: Readonly<Record<State, readonly [name: string, tone: Tone]>> = {
  DRAFT_OFFCHAIN: ['draft', 'plain'],
  CREATED_UNFUNDED: ['not funded yet', 'plain'],
  FUNDED_ACTIVE: ['active', 'good'],
  PAUSED: ['paused', 'warn'],
  ENDED: ['ended', 'plain'],
  EXPIRED: ['expired', 'plain'],
};

/** The state of a campaign, in words. */
export function CampaignState({ value }: { readonly value: State }) {
  const [name, tone] = names[value];
  return <Badge tone={tone}>{name}</Badge>;
}
