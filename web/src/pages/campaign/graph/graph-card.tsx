import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Loading } from '../../../components/loading.tsx';
import { countOf } from '../../../format.ts';
import { Details } from './details.tsx';
import { ancestryOf, childrenOf, type ForestNode, hiddenChildren } from './forest.ts';
import styles from './graph.module.css';
import { OwnersCard } from './owners-card.tsx';
import { Picture } from './picture.tsx';
import { Progress } from './progress.tsx';
import { Search } from './search.tsx';
import { findNodes } from './source.ts';
import { Tree } from './tree.tsx';
import { useGraph } from './use-graph.ts';

interface GraphCardProps {
  readonly campaignId: string;
  readonly chainId: number;
  /** Part of each rewarded level in basis points, level 1 first. */
  readonly weightsBps: readonly number[];
}

/** The campaign’s referral graph: as a picture, as a tree of text, and by search. */
export function GraphCard({ campaignId, chainId, weightsBps }: GraphCardProps) {
  const [state, store] = useGraph(campaignId, chainId);
  const { forest, nodeCount, error } = state;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [hovered, setHovered] = useState<string | null>(null);
  const [selected, select] = useSelected();
  const focused = hovered ?? selected;
  const path = useMemo(
    () => (focused === null ? [] : ancestryOf(forest, focused)),
    [forest, focused],
  );
  const lit = useMemo(() => new Set(path.map(({ nodeId }) => nodeId)), [path]);

  const show = useCallback(
    async (node: ForestNode) => {
      if (!store.state().forest.nodes.has(node.nodeId)) await store.reveal(node);
      const above = ancestryOf(store.state().forest, node.nodeId).slice(1);
      setOpen((before) => new Set([...before, ...above.map(({ nodeId }) => nodeId)]));
      select(node.nodeId);
    },
    [store, select],
  );
  useDeepLink({ campaignId, selected, ready: nodeCount !== null, show });

  function toggle(nodeId: string, opened: boolean) {
    setOpen(
      (before) => new Set([...before].filter((id) => id !== nodeId).concat(opened ? nodeId : [])),
    );
    const node = forest.nodes.get(nodeId);
    const empty = childrenOf(forest, nodeId).length === 0;
    if (opened && node && empty && hiddenChildren(forest, node) > 0)
      void store.loadChildren(nodeId);
  }

  function choose(nodeId: string | null) {
    select(nodeId);
    if (nodeId !== null && !open.has(nodeId)) toggle(nodeId, true);
  }

  const chosen = selected === null ? undefined : forest.nodes.get(selected);
  return (
    <>
      <Card title="Referral graph" id="graph" aside={<Progress state={state} store={store} />}>
        <div className="stack">
          {error !== null && (
            <Failure
              error={error instanceof Error ? error : new Error(String(error))}
              what="The graph"
              onRetry={() => void (nodeCount === null ? store.begin() : store.loadAll())}
            />
          )}
          {nodeCount === null && error === null && <Loading what="the graph" />}
          {nodeCount === 0 && <Empty>No distributor has joined this campaign yet.</Empty>}
          {nodeCount !== null && nodeCount > 0 && (
            <>
              <Search campaignId={campaignId} onPick={(match) => void show(match)} />
              <div className={`stack ${styles.views}`}>
                <Picture
                  forest={forest}
                  growing={state.loadingAll}
                  label={`Picture of ${countOf(forest.nodes.size, 'link')}, the campaign in the middle. The list next to it shows the same.`}
                  focused={focused}
                  selected={selected}
                  rewarded={weightsBps.length}
                  onHover={setHovered}
                  onSelect={choose}
                />
                <Tree
                  forest={forest}
                  open={open}
                  selected={selected}
                  lit={lit}
                  onOpen={toggle}
                  onSelect={choose}
                  onFocus={setHovered}
                  onMore={(nodeId) => void store.loadChildren(nodeId)}
                />
              </div>
              {chosen && (
                <Details
                  node={chosen}
                  path={ancestryOf(forest, chosen.nodeId)}
                  weightsBps={weightsBps}
                />
              )}
            </>
          )}
        </div>
      </Card>
      <OwnersCard state={state} />
    </>
  );
}

/** The chosen node, which the address of the page names, so that a link can lead to it. */
function useSelected(): [string | null, (nodeId: string | null) => void] {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const selected = new URLSearchParams(search).get('node');
  const select = useCallback(
    (nodeId: string | null) => {
      const query = new URLSearchParams(location.search);
      if (nodeId === null) query.delete('node');
      else query.set('node', nodeId);
      const text = query.toString();
      navigate(text === '' ? path : `${path}?${text}`, { replace: true });
    },
    [path, navigate],
  );
  return [selected, select];
}

interface DeepLink {
  readonly campaignId: string;
  readonly selected: string | null;
  /** Whether the first nodes are there. */
  readonly ready: boolean;
  readonly show: (node: ForestNode) => Promise<void>;
}

/** Loads the node that the page’s address named when it was opened. */
function useDeepLink({ campaignId, selected, ready, show }: DeepLink): void {
  const first = useRef(selected);
  useEffect(() => {
    const nodeId = first.current;
    if (!ready || nodeId === null) return;
    first.current = null;
    const { signal } = new AbortController();
    findNodes(campaignId, nodeId, signal)
      .then(async (found) => {
        const node = found.find((one) => one.nodeId === nodeId);
        if (node === undefined) return;
        await show(node);
        document.getElementById('graph')?.scrollIntoView();
      })
      // What the address names may be anything: then nothing is chosen.
      .catch(() => undefined);
  }, [campaignId, ready, show]);
}
