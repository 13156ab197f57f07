import { z } from 'zod';
import { del, get, post, put, resource } from '../define.ts';
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
export const products = resource('products', {
  about: 'What merchants sell, with media and variants.',
  caller: 'admin',
})({
  list: get('/v1/merchant/products', {
    caller: 'viewer',
    summary: 'Products of the signed-in merchant, last changed first.',
    input: { query: listQuery },
    output: pageOf(OwnProduct),
  }),
  get: get('/v1/products/:id', {
    caller: 'public',
    summary:
      'The public view of a product, without its deliverable and the location of its downloads.',
    input: { params },
    output: Product,
  }),
  save: put('/v1/merchant/products/:id', {
    summary: 'Replaces a product completely; a new id creates a new one.',
    input: { params, body: ProductInput, payload: 'product' },
    output: OwnProduct,
  }),
  remove: del('/v1/merchant/products/:id', {
    documentedName: null,
    summary: 'Deletes a product that was never published, with its files; 409 if a plan uses it.',
    input: { params },
    output: Done,
  }),
  uploadAsset: post('/v1/merchant/products/:id/assets', {
    summary: 'Stores an image or a download for a product; its type is detected from its content.',
    input: { params, multipart: true },
    output: UploadedAsset,
  }),
  categories: get('/v1/categories', {
    caller: 'public',
    serving: { replica: false },
    summary: 'Categories of listed campaigns, the one with most campaigns first.',
    input: {},
    output: Categories,
  }),
});
