import { type Hex, hexToNumber, webSocket } from 'viem';
import type { Pool } from '../../engine/db/connection.ts';
import { headOf, headQuery, type IndexerHeadRow } from '../../engine/db/indexer/head.ts';
import type { TestChain } from '../../test/support/chain.ts';

/** A height that moves, and when it reached what. */
export interface Watch {
  /** Resolves when the height is reached: with the milliseconds since the machine's start. */
  readonly reached: (number: number) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Milliseconds between two polls of the database: at 2, polling alone used half a core. */
const POLL_MS = 10;

/** How the indexer and the ceiling learn of new blocks. */
export type Arrival = 'polling' | 'ws';

/** Watches blocks arrive as an indexer might at best: a poll every 100 ms, or a subscription. */
export async function watchArrival(chain: TestChain, arrival: Arrival): Promise<Watch> {
  const heights = new Heights();
  if (arrival === 'polling') {
    const timer = setInterval(async () => heights.move(await headOfChain(chain)), 100);
    return { reached: heights.reached, stop: async () => clearInterval(timer) };
  }
  const { value } = webSocket(wsUrlOf(chain))({});
  if (value === undefined) throw new Error('viem has no WebSocket here');
  const { unsubscribe } = await value.subscribe({
    params: ['newHeads'],
    onData: ({ result }) => {
      const block: { readonly number?: Hex } = result ?? {};
      if (block.number !== undefined) heights.move(hexToNumber(block.number));
    },
    onError: () => {},
  });
  return {
    reached: heights.reached,
    stop: async () => {
      await unsubscribe();
      (await value.getRpcClient()).close();
    },
  };
}

/** anvil takes both at one port. */
export function wsUrlOf(chain: TestChain): string {
  return chain.anvil.url.replace('http', 'ws');
}

/** Watches the indexer's own head. */
export function watchIndexed(pool: Pool, schema: string): Watch {
  return watchRow(async () => {
    const [row] = await pool<IndexerHeadRow[]>`${headQuery(pool, schema)}`;
    return row === undefined ? null : headOf(row).blockNumber;
  });
}

/** Watches the block that reads are as of. */
export function watchReadable(pool: Pool): Watch {
  return watchRow(async () => {
    const [row] = await pool<{ settled_number: string | null }[]>`
      select settled_number from ledger.head`;
    return row?.settled_number == null ? null : Number(row.settled_number);
  });
}

function watchRow(poll: () => Promise<number | null>): Watch {
  const heights = new Heights();
  let stopping = false;
  const looking = (async () => {
    while (!stopping) {
      const number = await poll();
      if (number !== null) heights.move(number);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  })();
  return {
    reached: heights.reached,
    stop: async () => {
      stopping = true;
      await looking;
    },
  };
}

async function headOfChain(chain: TestChain): Promise<number> {
  return Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
}

const LONGEST_MS = 60_000;

class Heights {
  #waiting: { readonly number: number; readonly resolve: (at: number) => void }[] = [];
  #at = -1;

  move(number: number): void {
    if (number <= this.#at) return;
    this.#at = number;
    const now = performance.now();
    for (const one of this.#waiting) if (one.number <= number) one.resolve(now);
    this.#waiting = this.#waiting.filter((one) => one.number > number);
  }

  readonly reached = (number: number): Promise<number> => {
    if (number <= this.#at) return Promise.resolve(performance.now());
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`block ${number} did not come in ${LONGEST_MS} ms`));
      }, LONGEST_MS);
      const arrive = (at: number) => {
        clearTimeout(late);
        resolve(at);
      };
      this.#waiting.push({ number, resolve: arrive });
    });
  };
}
