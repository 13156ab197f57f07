import { expect, it } from 'vitest';
import { areaOf, currentIn } from './areas.ts';

it.each([
  ['/', undefined, undefined],
  ['/products/kit', undefined, '/products'],
  ['/campaigns/7', undefined, '/campaigns'],
  ['/me', 'Earn', '/me'],
  ['/me/join', 'Earn', '/me/join'],
  ['/me/links/4', 'Earn', '/me'],
  ['/console/orders', 'Sell', '/console'],
  ['/merchants', undefined, undefined],
  ['/mess', undefined, undefined],
])('finds the area and the current link of %s', (path, name, current) => {
  const area = areaOf(path);
  expect(area.name).toBe(name);
  expect(currentIn(area.menu, path)).toBe(current);
});

it('shows the lists of the public record on their pages alone', () => {
  expect(currentIn(areaOf('/sales').more, '/sales')).toBe('/sales');
  expect(areaOf('/receipts/1/2').more).toEqual([]);
});
