import { Button } from '../../../components/button.tsx';
import { groupDigits } from '../../../format.ts';
import styles from './graph.module.css';
import { type GraphState, type GraphStore, NODES_MOST } from './store.ts';

interface ProgressProps {
  readonly state: GraphState;
  readonly store: GraphStore;
}

/** How much of the graph is loaded, and the way to load the rest. */
export function Progress({ state: { forest, nodeCount, loadingAll }, store }: ProgressProps) {
  if (nodeCount === null || nodeCount === 0) return null;
  const loaded = forest.nodes.size;
  const told = `${groupDigits(String(loaded))} of ${groupDigits(String(nodeCount))} links loaded`;
  const most = groupDigits(String(NODES_MOST));
  return (
    <div className={styles.progress}>
      <span role="status">{loadingAll ? 'Loading all links …' : told}</span>
      {loadingAll && (
        <progress max={Math.min(nodeCount, NODES_MOST)} value={loaded} aria-label={told}>
          {told}
        </progress>
      )}
      {loadingAll && <Button onClick={() => store.stop()}>Stop</Button>}
      {!loadingAll && loaded < Math.min(nodeCount, NODES_MOST) && (
        <Button onClick={() => void store.loadAll()}>
          {nodeCount > NODES_MOST ? `Load the first ${most}` : 'Load all'}
        </Button>
      )}
    </div>
  );
}
