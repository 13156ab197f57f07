import { describe, expect, it } from 'vitest';
import type { ForestNode } from './forest.ts';
import { FIRST_NODES, type GraphSource, GraphStore, MAX_NODES } from './store.ts';

/** Nodes of a page. */
const PAGE = 100;

/** A chain of ten nodes to each root, so many nodes in all, as the API pages it. */
function sourceOf(count: number, deepest = 100): { source: GraphSource; requested: string[] } {
  const nodes = Array.from({ length: count }, (_, index): ForestNode => {
    const depth = (index % 10) + 1;
    return {
      nodeId: String(index + 1),
      parentNodeId: depth === 1 ? null : String(index),
      depth,
      owner: `0x${'0'.repeat(40)}`,
      ownerHandle: null,
      code: null,
      childCount: depth < 10 && index + 1 < count ? 1 : 0,
      sales: 0,
      joinedAt: '2026-01-01T00:00:00.000Z',
    };
  });
  const requested: string[] = [];
  const byLevel = [...nodes].sort((a, b) => a.depth - b.depth);
  const source: GraphSource = {
    async page({ root, depthMax, cursor }, signal) {
      signal.throwIfAborted();
      requested.push(`${root ?? 'roots'} from ${cursor ?? 0}`);
      const from = root === undefined ? undefined : nodes[Number(root) - 1];
      const levels = Math.min(depthMax, deepest);
      const all = byLevel.filter(({ nodeId, depth }) => {
        if (from === undefined) return depth <= levels;
        const below = Number(nodeId) - Number(from.nodeId);
        return below >= 0 && below < levels && depth === from.depth + below;
      });
      const next = Number(cursor ?? 0) + PAGE;
      return {
        nodeCount: count,
        items: all.slice(next - PAGE, next),
        nextCursor: next < all.length ? String(next) : null,
      };
    },
    async ancestry(nodeId) {
      const last = Number(nodeId);
      const root = last - ((last - 1) % 10);
      return nodes.slice(root - 1, last).reverse();
    },
  };
  return { source, requested };
}

const sizeOf = (store: GraphStore) => store.state().forest.nodes.size;

describe('a graph that is loaded', () => {
  it('loads a few pages first, continues where it was, and requests none twice', async () => {
    const { source, requested } = sourceOf(2_000);
    const store = new GraphStore(source);
    await store.begin();
    expect(sizeOf(store)).toBe(FIRST_NODES);
    await store.loadAll();
    expect(sizeOf(store)).toBe(2_000);
    expect(new Set(requested).size).toBe(requested.length);
    expect(requested).toHaveLength(20);
  });

  it('reads on below the levels that one request reaches', async () => {
    const { source } = sourceOf(200, 4);
    const store = new GraphStore(source);
    await store.loadAll();
    expect(sizeOf(store)).toBe(200);
  });

  it('ends at its limit', async () => {
    const store = new GraphStore(sourceOf(MAX_NODES + 500).source);
    await store.loadAll();
    expect(sizeOf(store)).toBe(MAX_NODES);
    expect(store.state()).toMatchObject({ nodeCount: MAX_NODES + 500, loadingAll: false });
  });

  it('loads the children of one node, and the path to another', async () => {
    const { source } = sourceOf(5_000);
    const store = new GraphStore(source);
    await store.begin();
    await store.loadChildren('1');
    expect(store.state().forest.children.get('1')).toEqual(['2']);
    const [node] = await source.ancestry('4990', new AbortController().signal);
    if (node) await store.reveal(node);
    expect(store.state().forest.nodes.has('4990')).toBe(true);
  });

  it('stops when cancelled, keeps the loaded nodes and reports no error', async () => {
    const { source } = sourceOf(5_000);
    const store = new GraphStore(source);
    store.subscribe(() => {
      if (sizeOf(store) >= 1_000) store.stop();
    });
    await store.loadAll();
    expect(sizeOf(store)).toBeGreaterThanOrEqual(1_000);
    expect(sizeOf(store)).toBeLessThan(5_000);
    expect(store.state().error).toBeNull();
    await store.loadAll();
    expect(store.state().error).toBeNull();
  });

  it('shows an error until the next attempt', async () => {
    const { source } = sourceOf(500);
    let fails = true;
    const store = new GraphStore({
      ...source,
      page: async (query, signal) => {
        if (fails) throw new Error('no answer');
        return await source.page(query, signal);
      },
    });
    await store.begin();
    expect(store.state().error).toEqual(new Error('no answer'));
    fails = false;
    await store.begin();
    expect(store.state()).toMatchObject({ error: null, nodeCount: 500 });
  });
});
