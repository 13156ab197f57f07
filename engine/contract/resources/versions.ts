import { z } from 'zod';
import { get, resource } from '../define.ts';
import { Product } from '../shapes/common.ts';
import { SkuVariant } from '../shapes/product-input.ts';
import { Id, pageOf, pageQuery, Timestamp } from '../values.ts';

const id = Id.describe('Id of the product.');

const version = Product.shape.version.max(2_147_483_647);

const VersionSummary = z.strictObject({
  version,
  savedAt: Timestamp.describe('Sales from this time on have the version, until the next one.'),
  ...Product.pick({ title: true, category: true, priceBaseUnits: true }).shape,
  status: z.enum(['ready', 'archived']),
});

const ProductVersion = Product.omit({
  deliverable: true,
  missing: true,
  liveCampaignCount: true,
  usedBy: true,
  updatedAt: true,
}).extend({
  variants: z.array(SkuVariant),
  savedAt: VersionSummary.shape.savedAt,
  status: VersionSummary.shape.status,
});

/** Methods for the versions of a product. */
export const versions = resource('versions', {
  about: 'Versions of a product.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/products/:id/versions', {
    summary: 'Published versions of a product, newest first.',
    input: { params: z.strictObject({ id }), query: z.strictObject(pageQuery) },
    output: pageOf(VersionSummary),
  }),
  get: get('/v1/products/:id/versions/:version', {
    summary: 'A product as it was in one version, without its deliverable.',
    input: { params: z.strictObject({ id, version }) },
    output: ProductVersion,
  }),
});
