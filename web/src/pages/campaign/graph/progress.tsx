import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Time } from '../../../components/time.tsx';
import { count } from '../../../format.ts';
import styles from './graph.module.css';
import { type GraphState, type GraphStore, MAX_NODES } from './store.ts';

interface ProgressProps {
  readonly state: GraphState;
  readonly store: GraphStore;
}

/** How much of the graph is loaded, and the way to load the rest. */
export function Progress({ state: { forest, nodeCount, loadingAll }, store }: ProgressProps) {
  const [readAt] = useState(() => new Date().toISOString());
  if (nodeCount === null || nodeCount === 0) return null;
  const loaded = forest.nodes.size;
  const progress = `${count(loaded)} of ${count(nodeCount)} links loaded`;
  const most = count(MAX_NODES);
  return (
    <div className={styles.progress}>
      <span>
        Read <Time at={readAt} />
      </span>
      <span role="status">{loadingAll ? 'Loading all links …' : progress}</span>
      {loadingAll && (
        <progress max={Math.min(nodeCount, MAX_NODES)} value={loaded} aria-label={progress}>
          {progress}
        </progress>
      )}
      {loadingAll && <Button onClick={() => store.stop()}>Stop</Button>}
      {!loadingAll && loaded < Math.min(nodeCount, MAX_NODES) && (
        <Button onClick={() => void store.loadAll()}>
          {nodeCount > MAX_NODES ? `Load the first ${most}` : 'Load all'}
        </Button>
      )}
    </div>
  );
}
