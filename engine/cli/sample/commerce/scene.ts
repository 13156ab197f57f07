import type { Pool } from '../../../db/connection.ts';
import { campaignScripts } from '../campaigns.ts';
import { type Actor, type Cast, merchantOf } from '../cast.ts';
import { SAMPLE_SEED } from '../play-sample.ts';
import type { Accounts } from './accounts.ts';

/** What each chapter of the sample's commerce side is given. */
export interface Scene {
  readonly accounts: Accounts;
  readonly cast: Cast;
  readonly pool: Pool;
}

/** Merchants of the sample that have a profile. */
export type MerchantSlug =
  | 'harbor-roasters'
  | 'northlight-studio'
  | 'fjord-outfitters'
  | 'meridian-press';

export function merchant(slug: MerchantSlug): Actor {
  return merchantOf(SAMPLE_SEED, slug);
}

/** The account that everybody calls «distributor 8». */
export function numbered(actors: readonly Actor[], number: number): Actor {
  const actor = actors[number - 1];
  if (actor === undefined) throw new Error(`The sample has no account number ${number}.`);
  return actor;
}

/** The id on the chain of the campaign of that key: the scripts stand in order of creation. */
export function campaignIdOf(key: string): string {
  const index = campaignScripts.findIndex((script) => script.key === key);
  if (index < 0) throw new Error(`The sample has no campaign ${key}.`);
  return String(index + 1);
}
