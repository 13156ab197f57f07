import { useEffect, useState, useSyncExternalStore } from 'react';
import { graphSource } from './source.ts';
import { type GraphState, GraphStore } from './store.ts';

/** The graph of a campaign as far as it is loaded, and the store that loads more. */
export function useGraph(campaignId: string, chainId: number): [GraphState, GraphStore] {
  const [store, setStore] = useState(() => new GraphStore(graphSource(campaignId, chainId)));
  useEffect(() => {
    const made = new GraphStore(graphSource(campaignId, chainId));
    setStore(made);
    void made.begin();
    return () => made.close();
  }, [campaignId, chainId]);
  return [useSyncExternalStore(store.subscribe, store.state), store];
}
