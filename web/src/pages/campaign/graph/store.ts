import { EMPTY_FOREST, type Forest, type ForestNode, hiddenChildren, withNodes } from './forest.ts';

/** A page of nodes, and where the next begins. */
export interface NodePage {
  readonly items: readonly ForestNode[];
  readonly nextCursor: string | null;
}

/** Where nodes come from. Each call may be aborted. */
export interface GraphSource {
  /** Nodes by depth, from all roots or from one node, with the number of all in the campaign. */
  page(
    query: { root?: string | undefined; depthMax: number; cursor?: string | undefined },
    signal: AbortSignal,
  ): Promise<NodePage & { readonly nodeCount: number }>;
  /** A node and all its ancestors. */
  ancestry(nodeId: string, signal: AbortSignal): Promise<readonly ForestNode[]>;
}

export interface GraphState {
  readonly forest: Forest;
  /** Nodes of the whole campaign; null before the first answer. */
  readonly nodeCount: number | null;
  /** Whether all of the graph is being loaded. */
  readonly loadingAll: boolean;
  /** Nodes whose children are being loaded. */
  readonly loading: ReadonlySet<string>;
  readonly error: unknown;
}

/** Nodes that are loaded without being asked for. */
export const FIRST_NODES = 300;
/** Maximum number of nodes that "load all" loads. */
export const MAX_NODES = 10_000;
/** Nodes that are added to a growing graph in one step. */
const NODES_PER_STEP = 500;
/** Levels that one request may read. */
const MAX_LEVELS = 100;

const BEGINNING: GraphState = {
  forest: EMPTY_FOREST,
  nodeCount: null,
  loadingAll: false,
  loading: new Set(),
  error: null,
};

/**
 * The loaded part of a campaign's graph, and how it grows: the first nodes level by level, children
 * of a node when it is opened, the way to a node that was searched for, or all up to a limit.
 */
export class GraphStore {
  #state = BEGINNING;
  readonly #listeners = new Set<() => void>();
  readonly #source: GraphSource;
  readonly #life = new AbortController();
  /** Cancels "load all", and nothing else. */
  #all: AbortController | undefined;
  /** Cursor of the reading from all roots; null after its last page. */
  #cursor: string | null | undefined;
  readonly #childCursors = new Map<string, string>();

  constructor(source: GraphSource) {
    this.#source = source;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): GraphState => this.#state;

  /** Loads the first nodes. */
  async begin(): Promise<void> {
    await this.#guarded((signal) => this.#readLevels(FIRST_NODES, signal));
  }

  /** Loads a page of the children of a node. */
  async loadChildren(nodeId: string): Promise<void> {
    if (this.#state.loading.has(nodeId)) return;
    this.#set({ loading: new Set([...this.#state.loading, nodeId]) });
    const cursor = this.#childCursors.get(nodeId);
    await this.#guarded(async (signal) => {
      const query = { root: nodeId, depthMax: 2, cursor };
      const page = await this.#source.page(query, signal);
      this.#grow(page.items);
      if (page.nextCursor !== null) this.#childCursors.set(nodeId, page.nextCursor);
    });
    this.#set({ loading: new Set([...this.#state.loading].filter((id) => id !== nodeId)) });
  }

  /** Loads all nodes, up to `MAX_NODES`, until it is stopped. */
  async loadAll(): Promise<void> {
    if (this.#state.loadingAll) return;
    const all = new AbortController();
    this.#all = all;
    this.#set({ loadingAll: true });
    const ends = AbortSignal.any([this.#life.signal, all.signal]);
    await this.#guarded(async (signal) => {
      await this.#readLevels(MAX_NODES, signal);
      await this.#readDeeper(signal);
    }, ends);
    this.#set({ loadingAll: false });
  }

  stop(): void {
    this.#all?.abort();
  }

  /** Adds a node with the way up to its root. */
  async reveal(node: ForestNode): Promise<void> {
    await this.#guarded(async (signal) => {
      const path = await this.#source.ancestry(node.nodeId, signal);
      this.#grow([...path, node]);
    });
  }

  /** Ends all that runs; the store grows no more. */
  close(): void {
    this.#life.abort();
  }

  /** Reads on level by level until so many nodes are there. */
  async #readLevels(most: number, signal: AbortSignal): Promise<void> {
    // Each growth is work for all who look at the whole: pages are taken in a few at a time.
    const waiting: ForestNode[] = [];
    const loaded = () => this.#state.forest.nodes.size;
    try {
      while (this.#cursor !== null && loaded() + waiting.length < most) {
        const query = { depthMax: MAX_LEVELS, cursor: this.#cursor };
        const page = await this.#source.page(query, signal);
        this.#cursor = page.nextCursor;
        waiting.push(...page.items);
        const first = loaded() === 0;
        if (this.#state.nodeCount !== page.nodeCount) this.#set({ nodeCount: page.nodeCount });
        if (first || waiting.length >= NODES_PER_STEP) this.#grow(waiting.splice(0));
      }
    } finally {
      this.#grow(waiting);
    }
  }

  /** Reads below the deepest level that a request reaches, node by node. */
  async #readDeeper(signal: AbortSignal): Promise<void> {
    for (let next = this.#cutOff(); next !== undefined; next = this.#cutOff()) {
      const before = this.#state.forest.nodes.size;
      let cursor: string | undefined;
      do {
        const query = { root: next.nodeId, depthMax: MAX_LEVELS, cursor };
        const page = await this.#source.page(query, signal);
        this.#grow(page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && this.#state.forest.nodes.size < MAX_NODES);
      // A node that keeps promising children that never come would be asked for ever.
      if (this.#state.forest.nodes.size === before) return;
    }
  }

  #cutOff(): ForestNode | undefined {
    const { forest } = this.#state;
    if (forest.nodes.size >= MAX_NODES) return undefined;
    return [...forest.nodes.values()].find((node) => hiddenChildren(forest, node) > 0);
  }

  #grow(items: readonly ForestNode[]): void {
    if (items.length === 0) return;
    this.#set({ forest: withNodes(this.#state.forest, items) });
  }

  /** Keeps an error for the page to show; what was ended on purpose is none. */
  async #guarded(work: (signal: AbortSignal) => Promise<void>, signal = this.#life.signal) {
    this.#set({ error: null });
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) this.#set({ error });
    }
  }

  #set(change: Partial<GraphState>): void {
    if (this.#life.signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
