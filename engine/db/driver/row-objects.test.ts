import { describe, expect, it } from 'vitest';
import { toObjects } from './row-objects.ts';

describe('the conversion of rows to objects', () => {
  it('puts the values under the names of their columns, whatever those are', () => {
    const columns = [{ name: 'sale_id' }, { name: '?column?' }, { name: 'a "b"' }];
    const rows = [
      ['1', 2, null],
      ['3', 4, true],
    ];
    expect(toObjects(rows, columns)).toEqual([
      { sale_id: '1', '?column?': 2, 'a "b"': null },
      { sale_id: '3', '?column?': 4, 'a "b"': true },
    ]);
  });

  it('takes the last of several columns of one name', () => {
    expect(toObjects([[1, 2, 3]], [{ name: 'a' }, { name: 'b' }, { name: 'a' }])).toEqual([
      { a: 3, b: 2 },
    ]);
  });

  it('takes the columns of each statement from that statement', () => {
    const [first, second] = [[{ name: 'a,b' }], [{ name: 'a' }, { name: 'b' }]];
    expect(toObjects([[1]], first)).toEqual([{ 'a,b': 1 }]);
    expect(toObjects([[1, 2]], second)).toEqual([{ a: 1, b: 2 }]);
    expect(toObjects([[3]], first)).toEqual([{ 'a,b': 3 }]);
  });
});
