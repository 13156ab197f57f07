import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import { word } from '../word.ts';
import { Badge, type Tone } from './badge.tsx';

type State = DataOf<Client['campaigns']['get']>['state'];

const words: Readonly<Record<State, readonly [state: string, tone: Tone]>> = {
  DRAFT_OFFCHAIN: [word('draft'), 'plain'],
  CREATED_UNFUNDED: ['not funded yet', 'warn'],
  FUNDED_ACTIVE: [word('selling'), 'good'],
  PAUSED: [word('paused'), 'warn'],
  ENDED: [word('ended'), 'plain'],
  EXPIRED: [word('expired'), 'plain'],
};

/** The state of a campaign, in words. */
export function CampaignState({ value }: { readonly value: State }) {
  const [state, tone] = words[value];
  return <Badge tone={tone}>{state}</Badge>;
}
