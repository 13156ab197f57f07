import type { Page, Route } from 'playwright-core';
import { encodeReferralCode } from '../../../engine/core/referral-code.ts';

/** A node as the API returns it. */
interface Node {
  readonly nodeId: string;
  readonly parentNodeId: string | null;
  readonly depth: number;
  readonly owner: string;
}

/** Roots of the made graph. */
const ROOTS = 20;
const AT = '2026-01-01T00:00:00.000Z';

/**
 * A graph of so many nodes in the place of a campaign's, level by level as the API pages it: a node
 * hangs on the one of a fifth of its number, so it is some levels deep.
 */
export class GraphPages {
  readonly nodes: readonly Node[];
  readonly #byLevel: readonly Node[];
  readonly #children = new Map<string, number>();
  /** Pages that were asked for. */
  requests = 0;

  constructor(count: number) {
    const nodes: Node[] = [];
    for (let i = 1; i <= count; i += 1) {
      const parent = i <= ROOTS ? undefined : nodes[Math.floor(i / 5) - 1];
      nodes.push({
        nodeId: String(i),
        parentNodeId: parent?.nodeId ?? null,
        depth: (parent?.depth ?? 0) + 1,
        owner: `0x${i.toString(16).padStart(40, '0')}`,
      });
      if (parent) {
        this.#children.set(parent.nodeId, (this.#children.get(parent.nodeId) ?? 0) + 1);
      }
    }
    this.nodes = nodes;
    this.#byLevel = [...nodes].sort((a, b) => a.depth - b.depth);
  }

  /** A node and its ancestors, nearest first. */
  pathOf(nodeId: string): Node[] {
    const path: Node[] = [];
    for (let node = this.#node(nodeId); node; node = this.#node(node.parentNodeId)) path.push(node);
    return path;
  }

  /** Answers the graph of that campaign in the API's place. */
  async serve(page: Page, campaignId: string): Promise<void> {
    const graph = `**/v1/campaigns/${campaignId}/graph`;
    await page.route(`${graph}?*`, (route) => this.#answer(route, campaignId, this.#page(route)));
    await page.route(`${graph}/search?*`, (route) => {
      const q = queryOf(route).get('q') ?? '';
      const found = this.nodes.filter((node) => codeOf(node) === q || node.nodeId === q);
      const items = found.map((node) => ({
        ...this.#shown(node),
        matched: node.nodeId === q ? 'nodeId' : 'code',
      }));
      return this.#answer(route, campaignId, { items, nextCursor: null });
    });
    await page.route('**/v1/nodes/31337/*/ancestry?*', (route) => {
      const [, nodeId = ''] = /nodes\/31337\/(\d+)/.exec(route.request().url()) ?? [];
      const items = this.pathOf(nodeId).map((node, index) => {
        const { childCount: _count, sales: _sales, code: _code, ...rest } = this.#shown(node);
        return { ...rest, level: index + 1, weightBps: null };
      });
      return this.#answer(route, campaignId, { items, nextCursor: null });
    });
  }

  #page(route: Route) {
    this.requests += 1;
    const query = queryOf(route);
    const root = query.get('root');
    const all = root === null ? this.#byLevel : this.#below(root);
    const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
    const next = from + limit;
    return {
      depthMax: Number(query.get('depthMax')),
      nodeCount: this.nodes.length,
      items: all.slice(from, next).map((node) => this.#shown(node)),
      nextCursor: next < all.length ? String(next) : null,
    };
  }

  /** A node and its children. */
  #below(root: string): Node[] {
    return this.nodes.filter(
      ({ nodeId, parentNodeId }) => nodeId === root || parentNodeId === root,
    );
  }

  #node(nodeId: string | null): Node | undefined {
    return nodeId === null ? undefined : this.nodes[Number(nodeId) - 1];
  }

  #shown(node: Node) {
    return {
      ...node,
      ownerHandle: null,
      code: codeOf(node),
      childCount: this.#children.get(node.nodeId) ?? 0,
      sales: { pending: 0, finalized: Number(node.nodeId) % 3, refunded: 0 },
      joinedAt: AT,
      tx: { hash: `0x${'00'.repeat(32)}`, blockNumber: '1', explorerUrl: null, at: AT },
    };
  }

  #answer(route: Route, campaignId: string, data: object) {
    const chain = { chainId: 31_337, blockNumber: '1', blockTimestamp: AT, finality: 'pending' };
    const meta = { requestId: 'made', chain };
    return route.fulfill({ json: { data: { chainId: 31_337, campaignId, ...data }, meta } });
  }
}

function queryOf(route: Route): URLSearchParams {
  return new URL(route.request().url()).searchParams;
}

const codeOf = ({ nodeId }: Node): string => encodeReferralCode(nodeId) ?? '';
