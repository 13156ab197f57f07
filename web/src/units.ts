import { useSyncExternalStore } from 'react';
import { storedValue, storeValue } from './storage.ts';

/** The unit that amounts are shown in: whole tokens, or base units. */
export type Units = 'tokens' | 'base';

const KEY = 'units';
const listeners = new Set<() => void>();
let chosen: Units = storedValue(KEY) === 'base' ? 'base' : 'tokens';

/** The reader's choice; whole tokens by default. */
export function useUnits(): Units {
  return useSyncExternalStore(subscribe, () => chosen);
}

/** Shows all amounts of all pages in this unit, and remembers it in this browser. */
export function chooseUnits(units: Units): void {
  chosen = units;
  storeValue(KEY, units);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
