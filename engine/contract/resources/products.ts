import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Product } from '../shapes/common.ts';
import { OwnProduct, ProductInput, UploadedAsset } from '../shapes/product-input.ts';
import { Count, Done, Id, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });

const listQuery = z.strictObject({
  ...pageQuery,
  status: z.enum(['draft', 'ready', 'archived']).optional(),
  q: textInput(200).describe('Words of title or summary.').optional(),
});

const Categories = z.strictObject({
  items: z
    .array(
      z.strictObject({
        category: z.string().describe('Value for campaigns.list; "other" if there is none.'),
        campaigns: Count.describe('Listed campaigns, in whatever state.'),
        liveCampaigns: Count.describe('Those that take sales now.'),
      }),
    )
    .describe('200 at most.'),
});

nameSchemas({ ProductCategories: Categories });

/** Methods for products of a merchant. */
export const products = {
  list: defineMethod({
    name: 'products.list',
    method: 'GET',
    path: '/v1/merchant/products',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Products of the signed-in merchant, last changed first.',
    input: { query: listQuery },
    output: pageOf(OwnProduct),
  }),
  get: defineMethod({
    name: 'products.get',
    method: 'GET',
    path: '/v1/products/:id',
    access: 'public',
    availability: 'live',
    summary:
      'The public view of a product, without its deliverable and the location of its downloads.',
    input: { params },
    output: Product,
  }),
  save: defineMethod({
    name: 'products.save',
    method: 'PUT',
    path: '/v1/merchant/products/:id',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Replaces a product completely; a new id creates a new one.',
    input: { params, body: ProductInput, payload: 'product' },
    output: OwnProduct,
  }),
  remove: defineMethod({
    name: 'products.remove',
    documentedName: null,
    method: 'DELETE',
    path: '/v1/merchant/products/:id',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Deletes a product that was never published, with its files; 409 if a plan uses it.',
    input: { params },
    output: Done,
  }),
  uploadAsset: defineMethod({
    name: 'products.uploadAsset',
    method: 'POST',
    path: '/v1/merchant/products/:id/assets',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Stores an image or a download for a product; its type is detected from its content.',
    input: { params, multipart: true },
    output: UploadedAsset,
  }),
  categories: defineMethod({
    name: 'products.categories',
    method: 'GET',
    path: '/v1/categories',
    access: 'public',
    availability: 'live',
    summary: 'Categories of listed campaigns, the one with most campaigns first.',
    input: {},
    output: Categories,
  }),
} as const;
