import type { Client } from '../../../../engine/client/index.ts';
import type { DataOf } from '../../api.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { words } from '../../format.ts';
import { word } from '../../word.ts';

type State = DataOf<Client['campaigns']['mine']>['items'][number]['state'];

const tones: Readonly<Record<State, Tone>> = {
  DRAFT_OFFCHAIN: 'plain',
  CREATED_UNFUNDED: 'warn',
  FUNDED_ACTIVE: 'good',
  PAUSED: 'warn',
  ENDED: 'plain',
  EXPIRED: 'plain',
};

const names: Readonly<Record<State, string>> = {
  DRAFT_OFFCHAIN: word('draft'),
  CREATED_UNFUNDED: 'without rewards',
  FUNDED_ACTIVE: word('active'),
  PAUSED: word('paused'),
  ENDED: word('ended'),
  EXPIRED: word('expired'),
};

/** The state of a campaign in a word. */
export function CampaignBadge({ state }: { readonly state: State }) {
  return <Badge tone={tones[state]}>{names[state] ?? words(state)}</Badge>;
}
