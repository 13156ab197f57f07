import type { Client } from '../../engine/client/index.ts';
import { logos, productPictures } from '../pictures/index.ts';
import { type MerchantSlug, merchant, type World } from './world.ts';

/** Descriptions of the merchants. */
const descriptions: Readonly<Record<MerchantSlug, string>> = {
  'harbor-roasters': 'Coffee in small batches, from farms that we have visited.',
  'northlight-studio': 'Typefaces, icons, and courses on how to draw them.',
  'fjord-outfitters': 'Clothes and guides for the mountains of Romsdal.',
  'meridian-press': 'Printed maps of places that are changing.',
};

/** Product that is delivered as a file, and the file: one icon per line. */
const DOWNLOAD = 'icon-library-licence';
const ICONS = `arrow  M4 12h16m-6-6 6 6-6 6
check  M4 12l6 6L20 6
cross  M6 6l12 12M18 6L6 18
plus   M12 4v16M4 12h16
`;

/** Completes the merchants' profiles, and uploads covers of their products and one file. */
export async function describeMerchants(world: World): Promise<void> {
  const slugs = Object.keys(descriptions) as MerchantSlug[];
  await Promise.all(slugs.map((slug) => describeMerchant(world, slug)));
}

async function describeMerchant({ accounts }: World, slug: MerchantSlug): Promise<void> {
  const client = await accounts.as(merchant(slug));
  const { data } = await client.merchants.update({
    description: descriptions[slug],
    websiteUrl: `https://${slug}.example`,
    supportEmail: `hello@${slug}.example`,
  });
  if (data.logo === null) await client.merchants.uploadLogo({ file: await drawn(logos[slug]) });
  const { data: products } = await client.products.list({ limit: 100 });
  for (const product of products.items) {
    if (product.coverId === null) await illustrate(client, product);
  }
}

type OwnProduct = Awaited<ReturnType<Client['products']['list']>>['data']['items'][number];

async function illustrate(client: Client, product: OwnProduct): Promise<void> {
  const { id } = product;
  const picture = productPictures[id];
  if (picture === undefined) return;
  const upload = async (file: Blob) =>
    (await client.products.uploadAsset({ id, file })).data.asset.id;
  const coverId = await upload(await drawn(picture.svg));
  const fileId = id === DOWNLOAD ? await upload(new Blob([ICONS])) : undefined;
  const deliverable = fileId ?? product.deliverable;
  await client.products.save({
    id,
    product: {
      version: product.version,
      status: 'ready',
      title: product.title,
      summary: product.summary,
      outcome: product.outcome,
      description: product.description,
      category: product.category,
      refundPolicy: product.refundPolicy,
      token: product.token?.address,
      priceBaseUnits: product.priceBaseUnits,
      fulfillmentMode: product.fulfillmentMode,
      deliverable,
      accessTiming: product.accessTiming,
      asks: product.asks,
      variants: product.variants,
      billingPeriod: product.billingPeriod,
      mediaIds: fileId === undefined ? [coverId] : [coverId, fileId],
      coverId,
      coverAlt: picture.alt,
    },
  });
}

/** A picture as a PNG. */
async function drawn(svg: string): Promise<Blob> {
  const { renderAsync } = await import('@resvg/resvg-js');
  const image = await renderAsync(svg, { font: { loadSystemFonts: false } });
  return new Blob([new Uint8Array(image.asPng())], { type: 'image/png' });
}

/** Orders two reports of a merchant, which a background job makes. */
export async function orderReports({ accounts }: World): Promise<void> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data } = await client.reports.list({ limit: 1 });
  if (data.items.length > 0) return;
  await client.reports.export({ kind: 'sales', format: 'csv' });
  await client.reports.export({ kind: 'movements', format: 'json' });
}
