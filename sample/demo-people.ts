import { type Actor, type Actors, merchantOf } from './actors.ts';
import { SAMPLE_SEED } from './run-sample.ts';

/** A person of the sample whose role a visitor can try. */
export interface DemoPersonOfSample {
  readonly role: 'merchant' | 'partner' | 'buyer';
  readonly name: string;
  readonly actor: Actor;
}

/** Numbers of the partner and the buyer among the accounts of the sample. */
const PARTNER = 2;
const BUYER = 15;

/**
 * The people whose roles can be tried: a merchant with orders and refund requests, a partner with links and earnings,
 * and a buyer with purchases.
 */
export function demoPeople(actors: Actors): readonly DemoPersonOfSample[] {
  const [partner, buyer] = [actors.distributors[PARTNER - 1], actors.buyers[BUYER - 1]];
  if (partner === undefined || buyer === undefined)
    throw new Error('The sample has too few people.');
  return [
    {
      role: 'merchant',
      name: 'Harbor Roasters',
      actor: merchantOf(SAMPLE_SEED, 'harbor-roasters'),
    },
    { role: 'partner', name: 'North Wind Newsletter', actor: partner },
    { role: 'buyer', name: 'Ida Solberg', actor: buyer },
  ];
}
