import type { Pool } from '../../engine/db/connection.ts';
import { type Actor, type Actors, merchantOf } from '../actors.ts';
import { SAMPLE_SEED } from '../run-sample.ts';
import { campaignScenarios } from '../scenarios.ts';
import type { Accounts } from './accounts.ts';

/** Input of each step that fills the commerce side of the sample. */
export interface World {
  readonly accounts: Accounts;
  readonly actors: Actors;
  readonly pool: Pool;
}

/** Merchants of the sample that have a profile. */
export type MerchantSlug =
  | 'harbor-roasters'
  | 'northlight-studio'
  | 'fjord-outfitters'
  | 'meridian-press';

/** The account of a merchant. */
export function merchant(slug: MerchantSlug): Actor {
  return merchantOf(SAMPLE_SEED, slug);
}

/** The account with a number, from 1: `distributor 8` is number 8 of the distributors. */
export function numbered(actors: readonly Actor[], number: number): Actor {
  const actor = actors[number - 1];
  if (actor === undefined) throw new Error(`The sample has no account number ${number}.`);
  return actor;
}

/** Id on the chain of the campaign with a key: the scenarios are in order of creation. */
export function campaignIdOf(key: string): string {
  const index = campaignScenarios.findIndex((scenario) => scenario.key === key);
  if (index < 0) throw new Error(`The sample has no campaign ${key}.`);
  return String(index + 1);
}
