import type { Forest } from './forest.ts';

/** Where each node of a forest is drawn: x and y by its place in `ids`. */
export interface Drawing {
  readonly forest: Forest;
  readonly ids: readonly string[];
  readonly points: Float32Array;
}

/** Lays forests out in a worker, one at a time; of those that came meanwhile, the newest. */
export class Layouter {
  readonly #worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
  readonly #done: (drawing: Drawing) => void;
  #busy = false;
  #next: Forest | undefined;

  constructor(done: (drawing: Drawing) => void) {
    this.#done = done;
  }

  lay(forest: Forest): void {
    if (this.#busy) {
      this.#next = forest;
      return;
    }
    this.#busy = true;
    // A node is in a forest only after its parent: that is the order the layout needs.
    const ids = [...forest.nodes.keys()];
    this.#worker.onmessage = ({ data: points }: MessageEvent<Float32Array>) => {
      this.#busy = false;
      this.#done({ forest, ids, points });
      const next = this.#next;
      this.#next = undefined;
      if (next) this.lay(next);
    };
    const parents = parentsOf(forest, ids);
    this.#worker.postMessage(parents, [parents.buffer]);
  }

  close(): void {
    this.#worker.terminate();
  }
}

/** The index of each node's parent; −1 for a root. */
function parentsOf(forest: Forest, ids: readonly string[]): Int32Array {
  const indices = new Map(ids.map((id, index) => [id, index]));
  return Int32Array.from(ids, (id) => {
    const parent = forest.nodes.get(id)?.parentNodeId ?? null;
    return parent === null ? -1 : (indices.get(parent) ?? -1);
  });
}
