import { describe, expect, it } from 'vitest';
import {
  ancestryOf,
  childrenOf,
  EMPTY_FOREST,
  type ForestNode,
  hiddenChildren,
  ROOTS,
  withNodes,
} from './forest.ts';
import { rowsOf } from './rows.ts';

function nodeOf(
  nodeId: string,
  parentNodeId: string | null,
  fields: Partial<ForestNode> = {},
): ForestNode {
  return {
    nodeId,
    parentNodeId,
    depth: parentNodeId === null ? 1 : 2,
    owner: `0x${nodeId.padStart(40, '0')}`,
    ownerHandle: null,
    code: null,
    childCount: 0,
    sales: 0,
    joinedAt: '2026-01-01T00:00:00.000Z',
    ...fields,
  };
}

const family = [
  nodeOf('1', null, { childCount: 3 }),
  nodeOf('2', '1', { childCount: 1 }),
  nodeOf('10', '1'),
  nodeOf('9', '1'),
  nodeOf('11', '2', { depth: 3 }),
];

describe('the loaded part of a graph', () => {
  it('keeps children in the order of their ids as numbers, in whatever order they came', () => {
    const forest = withNodes(withNodes(EMPTY_FOREST, family.slice(0, 3)), family.slice(3));
    expect(childrenOf(forest, '1')).toEqual(['2', '9', '10']);
    expect(childrenOf(forest, ROOTS)).toEqual(['1']);
  });

  it('adds no node twice, and leaves out a node whose parent is unknown', () => {
    const forest = withNodes(withNodes(EMPTY_FOREST, family), [...family, nodeOf('99', '98')]);
    expect(forest.nodes.size).toBe(5);
    expect(childrenOf(forest, '1')).toHaveLength(3);
  });

  it('accepts a path that ends with the root', () => {
    const path = [nodeOf('11', '2', { depth: 3 }), nodeOf('2', '1'), nodeOf('1', null)];
    const forest = withNodes(EMPTY_FOREST, path);
    expect(ancestryOf(forest, '11').map(({ nodeId }) => nodeId)).toEqual(['11', '2', '1']);
    expect(ancestryOf(forest, '4')).toEqual([]);
  });

  it('adds the counts of a node that was only known from a path, and loses none', () => {
    const partly = nodeOf('1', null, { childCount: null, sales: null, code: null });
    const forest = withNodes(EMPTY_FOREST, [partly]);
    const fields = withNodes(forest, [nodeOf('1', null, { childCount: 3, sales: 5, code: '168' })]);
    expect(fields.nodes.get('1')).toMatchObject({ childCount: 3, sales: 5, code: '168' });
    expect(withNodes(fields, [partly]).nodes.get('1')).toMatchObject({ childCount: 3, sales: 5 });
  });

  it('knows how many children are missing', () => {
    const forest = withNodes(EMPTY_FOREST, family.slice(0, 2));
    const [first] = family;
    expect(first && hiddenChildren(forest, first)).toBe(2);
  });
});

describe('the lines of the tree', () => {
  it('the lines of the tree show only children of open nodes, each with its position among all siblings', () => {
    const forest = withNodes(EMPTY_FOREST, family);
    expect(rowsOf(forest, new Set()).map(textOf)).toEqual(['1 1/1 closed']);
    expect(rowsOf(forest, new Set(['1'])).map(textOf)).toEqual([
      '1 1/1 open',
      '2 1/3 closed',
      '9 2/3 leaf',
      '10 3/3 leaf',
    ]);
    expect(rowsOf(forest, new Set(['1', '2'])).map(textOf)).toContain('11 1/1 leaf');
  });

  it('the lines of the tree offer to load missing children below an open node, after the loaded ones', () => {
    const forest = withNodes(EMPTY_FOREST, family.slice(0, 2));
    expect(rowsOf(forest, new Set(['1'])).map(textOf)).toEqual([
      '1 1/1 open',
      '2 1/3 closed',
      '2 more below 1',
    ]);
  });
});

function textOf(row: ReturnType<typeof rowsOf>[number]): string {
  if (row.kind === 'more') return `${row.missing} more below ${row.parent.nodeId}`;
  const state = row.open === null ? 'leaf' : row.open ? 'open' : 'closed';
  return `${row.node.nodeId} ${row.position}/${row.siblings} ${state}`;
}
