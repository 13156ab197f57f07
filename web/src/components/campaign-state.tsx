import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import { Badge, type Tone } from './badge.tsx';

type State = DataOf<Client['campaigns']['get']>['state'];

const words: Readonly<Record<State, readonly [text: string, tone: Tone]>> = {
  DRAFT_OFFCHAIN: ['draft', 'plain'],
  CREATED_UNFUNDED: ['not funded yet', 'warn'],
  FUNDED_ACTIVE: ['selling', 'good'],
  PAUSED: ['paused', 'warn'],
  ENDED: ['ended', 'plain'],
  EXPIRED: ['expired', 'plain'],
};

/** The state of a campaign, in words. */
export function CampaignState({ value }: { readonly value: State }) {
  const [text, tone] = words[value];
  return <Badge tone={tone}>{text}</Badge>;
}
