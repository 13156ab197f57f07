import { expect, test } from 'vitest';
import { stillOpen } from './switch-state.ts';

test('names pending sales only if there are some', () => {
  expect(stillOpen(0)).toBe('');
  expect(stillOpen(1)).toBe(' The 1 pending sale can still be refunded, finalized and claimed.');
  expect(stillOpen(7)).toBe(' The 7 pending sales can still be refunded, finalized and claimed.');
});
