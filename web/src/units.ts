import { useSyncExternalStore } from 'react';
import { storedValue, storeValue } from './storage.ts';

/** How amounts are written: with two decimals, with all of them, or in base units. */
export const unitOptions = {
  tokens: 'with two decimals',
  exact: 'with all decimals',
  base: 'in base units',
} as const;

export type Units = keyof typeof unitOptions;

const KEY = 'units';
const listeners = new Set<() => void>();
let chosen: Units = unitsOf(storedValue(KEY));

function unitsOf(value: string | undefined): Units {
  return value === 'base' || value === 'exact' ? value : 'tokens';
}

/** The reader's choice; two decimals by default. */
export function useUnits(): Units {
  return useSyncExternalStore(subscribe, () => chosen);
}

/** Writes all amounts of all pages like this, and remembers it in this browser. */
export function chooseUnits(units: string): void {
  chosen = unitsOf(units);
  storeValue(KEY, chosen);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
