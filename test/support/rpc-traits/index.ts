import { absences } from './absences.ts';
import { facts } from './facts.ts';
import { limits } from './limits.ts';
import { refusals } from './refusals.ts';
import type { Trait } from './trait.ts';
import { transport } from './transport.ts';

/** Habits of RPCs that were seen in public, by name. A new one is added as a row. */
export const rpcTraits = {
  ...facts,
  ...refusals,
  ...limits,
  ...absences,
  ...transport,
} as const satisfies Record<string, Trait>;

export type TraitName = keyof typeof rpcTraits;

export const traitNames = Object.keys(rpcTraits) as readonly TraitName[];

/** Every form of every trait. */
export const traitForms = traitNames.flatMap((name) => {
  const trait: Trait = rpcTraits[name];
  return Object.entries(trait.forms).map(([form, begin]) => ({ name, form, trait, begin }));
});
