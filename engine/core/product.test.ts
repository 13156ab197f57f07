import { expect, it } from 'vitest';
import { missingParts, type ProductParts } from './product.ts';

const complete: ProductParts = {
  title: 'Beans',
  outcome: 'Coffee',
  description: 'Roasted',
  category: 'food',
  coverUrl: 'https://example.org/c.png',
  coverAlt: 'A bag',
  price: 1n,
  hasToken: true,
  fulfillmentMode: 'external',
  deliverable: 'https://example.org',
};

it.each<[string[], Partial<ProductParts>]>([
  [[], {}],
  [[], { fulfillmentMode: 'manual', deliverable: null }],
  [['title', 'cover'], { title: ' ', coverUrl: null }],
  [['price'], { price: 0n }],
  [['price'], { hasToken: false }],
  [['deliverable'], { deliverable: null }],
])('names the missing parts %j of a product', (parts, fields) => {
  expect(missingParts({ ...complete, ...fields })).toEqual(parts);
});
