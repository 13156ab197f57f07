import type { Client } from '../../engine/client/index.ts';
import { type Colour, picture } from './png.ts';
import { type MerchantSlug, merchant, type World } from './world.ts';

/** Descriptions of the merchants, and the colours of their images. */
const appearances: readonly {
  readonly slug: MerchantSlug;
  readonly description: string;
  readonly colours: readonly [Colour, Colour];
}[] = [
  {
    slug: 'harbor-roasters',
    description: 'Coffee in small batches, from farms that we have visited.',
    colours: [
      [62, 39, 35],
      [215, 204, 200],
    ],
  },
  {
    slug: 'northlight-studio',
    description: 'Typefaces, icons, and courses on how to draw them.',
    colours: [
      [38, 50, 56],
      [176, 224, 230],
    ],
  },
  {
    slug: 'fjord-outfitters',
    description: 'Clothes and guides for the mountains of Romsdal.',
    colours: [
      [27, 73, 101],
      [202, 233, 255],
    ],
  },
  {
    slug: 'meridian-press',
    description: 'Printed maps of places that are changing.',
    colours: [
      [106, 76, 147],
      [255, 202, 58],
    ],
  },
];

/** Product that is delivered as a file, and the file: one icon per line. */
const DOWNLOAD = 'icon-library-licence';
const ICONS = `arrow  M4 12h16m-6-6 6 6-6 6
check  M4 12l6 6L20 6
cross  M6 6l12 12M18 6L6 18
plus   M12 4v16M4 12h16
`;

/** Completes the merchants' profiles, and uploads covers of their products and one file. */
export async function describeMerchants(world: World): Promise<void> {
  await Promise.all(appearances.map((appearance) => describeMerchant(world, appearance)));
}

async function describeMerchant(
  { accounts }: World,
  appearance: (typeof appearances)[number],
): Promise<void> {
  const { slug, description, colours } = appearance;
  const client = await accounts.as(merchant(slug));
  const { data } = await client.merchants.update({
    description,
    websiteUrl: `https://${slug}.example`,
    supportEmail: `hello@${slug}.example`,
  });
  if (data.logo === null) await client.merchants.uploadLogo({ file: image([128, 128], colours) });
  const { data: products } = await client.products.list({ limit: 100 });
  for (const product of products.items) {
    if (product.coverId === null) await illustrate(client, product, colours);
  }
}

type OwnProduct = Awaited<ReturnType<Client['products']['list']>>['data']['items'][number];

async function illustrate(
  client: Client,
  product: OwnProduct,
  colours: readonly [Colour, Colour],
): Promise<void> {
  const { id } = product;
  const upload = async (file: Blob) =>
    (await client.products.uploadAsset({ id, file })).data.asset.id;
  const coverId = await upload(image([960, 540], colours));
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
      coverAlt: `Colours of ${product.title}`,
    },
  });
}

function image([width, height]: readonly [number, number], [from, to]: readonly [Colour, Colour]) {
  return new Blob([new Uint8Array(picture({ width, height }, from, to))], { type: 'image/png' });
}

/** Orders two reports of a merchant, which a background job makes. */
export async function orderReports({ accounts }: World): Promise<void> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data } = await client.reports.list({ limit: 1 });
  if (data.items.length > 0) return;
  await client.reports.export({ kind: 'sales', format: 'csv' });
  await client.reports.export({ kind: 'movements', format: 'json' });
}
