import { ApiError } from '../../../../../engine/client/error.ts';
import { api, type DataOf } from '../../../api.ts';
import type { ForestNode } from './forest.ts';
import type { GraphSource } from './store.ts';

/** Nodes that one request may bring. */
const PAGE = 100;
/** Matches of a search that are shown. */
const MATCHES = 20;
/** Seconds that are waited at most where the service asks to wait. */
const MAX_WAIT_SECONDS = 60;

type ApiNode = DataOf<typeof api.graph.forCampaign>['items'][number];
type PathNode = DataOf<typeof api.graph.ancestry>['items'][number];

/** A node that a search found, and by what. */
export interface Match extends ForestNode {
  readonly matched: 'nodeId' | 'code' | 'owner';
}

/** The graph of a campaign, from the API. */
export function graphSource(campaignId: string, chainId: number): GraphSource {
  return {
    async page(query, signal) {
      const input = { ...query, campaignId, limit: PAGE };
      const { data } = await withRetries(() => api.graph.forCampaign(input, { signal }), signal);
      return { ...data, items: data.items.map(nodeOf) };
    },
    async ancestry(nodeId, signal) {
      const path: ForestNode[] = [];
      let cursor: string | undefined;
      do {
        const input = { chainId, nodeId, limit: PAGE, cursor };
        const { data } = await withRetries(() => api.graph.ancestry(input, { signal }), signal);
        path.push(...data.items.map(pathNodeOf));
        cursor = data.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return path;
    },
  };
}

/** Nodes of the campaign that the text names: an id, a referral code, an owner’s beginning. */
export async function findNodes(
  campaignId: string,
  q: string,
  signal: AbortSignal,
): Promise<readonly Match[]> {
  const { data } = await api.graph.search({ campaignId, q, limit: MATCHES }, { signal });
  return data.items.map((item) => ({ ...nodeOf(item), matched: item.matched }));
}

function nodeOf(node: ApiNode): ForestNode {
  const { nodeId, parentNodeId, depth, owner, ownerHandle, code, childCount, joinedAt } = node;
  const { pending, finalized, refunded } = node.sales;
  const sales = pending + finalized + refunded;
  return { nodeId, parentNodeId, depth, owner, ownerHandle, code, childCount, sales, joinedAt };
}

/** A node of a path, which has fewer fields than a node of the graph. */
function pathNodeOf({ nodeId, parentNodeId, depth, owner, joinedAt }: PathNode): ForestNode {
  const unknown = { ownerHandle: null, code: null, childCount: null, sales: null };
  return { nodeId, parentNodeId, depth, owner, joinedAt, ...unknown };
}

/** Asks again when the service has had enough for the minute, after as long as it says. */
async function withRetries<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
      await pause(Math.min(error.retryAfter ?? 1, MAX_WAIT_SECONDS), signal);
    }
  }
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
