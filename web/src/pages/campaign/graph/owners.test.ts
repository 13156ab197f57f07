import { describe, expect, it } from 'vitest';
import { EMPTY_FOREST, type ForestNode, withNodes } from './forest.ts';
import { ownersOf } from './owners.ts';

const node = (nodeId: string, owner: string, sales: number | null, childCount = 0): ForestNode => ({
  nodeId,
  parentNodeId: null,
  depth: 1,
  owner,
  ownerHandle: null,
  code: null,
  childCount,
  sales,
  joinedAt: '2026-01-01T00:00:00.000Z',
});

describe('the accounts behind links', () => {
  it('sums links and sales per owner, and lists the owner with most sales first', () => {
    const forest = withNodes(EMPTY_FOREST, [
      node('1', '0xaa', 1, 2),
      node('2', '0xbb', 4),
      node('3', '0xaa', 2, 1),
      node('4', '0xcc', null),
      node('5', '0xdd', 0),
      node('6', '0xdd', 0),
    ]);
    expect(ownersOf(forest)).toEqual([
      { address: '0xbb', handle: null, links: 1, sales: 4, below: 0 },
      { address: '0xaa', handle: null, links: 2, sales: 3, below: 3 },
      { address: '0xdd', handle: null, links: 2, sales: 0, below: 0 },
      { address: '0xcc', handle: null, links: 1, sales: 0, below: 0 },
    ]);
  });
});
