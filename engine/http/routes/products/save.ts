import type { z } from 'zod';
import type { ProductInput } from '../../../contract/shapes/product-input.ts';
import { dropUnnamedAssets, productAssets } from '../../../db/commerce/assets.ts';
import type { OwnMerchant } from '../../../db/commerce/own-merchant.ts';
import {
  countProducts,
  isProductIdUsed,
  isSkuSold,
  merchantOfSlug,
  productOfSku,
  skusOfOthers,
} from '../../../db/commerce/own-products.ts';
import { saveProduct } from '../../../db/commerce/save-product.ts';
import type { Sql } from '../../../db/connection.ts';
import { type OwnProduct, readOwnProduct } from '../../../db/read/products/own.ts';
import type { ProductToken } from '../../../db/rows/commerce.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, type HttpError, notFound, unprocessable } from '../../errors.ts';
import { mediaItemOf, removeFiles } from '../../files/store-upload.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { lowerHash } from '../../input/hash.ts';
import { asOpenMerchant, requireOpenMerchant } from '../../resources/merchants/own-merchant.ts';
import { answerOwnProduct } from '../../resources/products/answer-product.ts';
import { planProduct } from '../../resources/products/plan-product.ts';
import { tokenFacts } from '../../resources/products/token-facts.ts';

type Body = z.infer<typeof ProductInput>;

/** Products that a merchant may have. */
const MAX_PRODUCTS = 1_000;

/** Characters of the longest product id. */
const MAX_ID_CHARACTERS = 100;

/** Milliseconds for which an uploaded file that no product names is not deleted. */
const UNNAMED_MS = 3_600_000;

/**
 * `products.save`: replaces a product if its version is the one that was read, in one transaction, after
 * all earlier writes of the merchant. Saving the same product again changes nothing.
 */
export const save: Handler<'products.save'> = async (
  { id, product: body },
  deps,
  { merchant: address },
) => {
  const { pool } = deps;
  await requireOpenMerchant(pool, address);
  // Before the transaction, because it may call the chain.
  const token = body.token ? await tokenFacts(deps, lowerAddress(body.token)) : null;
  const dropped = await asOpenMerchant(
    pool,
    address,
    async (sql, merchant) => await write(sql, deps, { id, body, token, merchant }),
  );
  await removeFiles(deps, dropped);
  return await answerOwnProduct(deps, address, id);
};

interface Writing {
  readonly id: string;
  readonly body: Body;
  readonly token: ProductToken | null;
  readonly merchant: OwnMerchant;
}

/** Saves a product. @returns storage keys of files that no product names any more. */
async function write(
  sql: Sql,
  deps: Pick<AppDeps, 'publicUrl' | 'clock'>,
  { id, body, token, merchant }: Writing,
): Promise<string[]> {
  const { id: merchantId, address } = merchant;
  const current = await readOwnProduct(sql, address, id);
  await requireVersion(sql, { id, version: body.version, current, merchant });
  const sold = current !== undefined && (await isSkuSold(sql, address, current.skuHash));
  const assets = (await productAssets(sql, id)).map((asset) => mediaItemOf(deps, asset));
  const media = new Map([...(current?.media ?? []), ...assets].map((item) => [item.id, item]));
  const context = { id, merchantId, skuHash: current?.skuHash, sold, token, media };
  const { product, issues } = planProduct(body, context);
  if (issues.length > 0) {
    throw unprocessable('The product cannot be saved: see issues.', issues);
  }
  const other = await productOfSku(sql, product);
  if (other !== undefined) {
    throw conflict(`Your product ${other} has the SKU ${product.skuHash}.`);
  }
  await requireOwnSkus(sql, merchant, body);
  const now = new Date(deps.clock());
  await saveProduct(sql, product, now);
  // If another merchant took a new id concurrently, nothing was written.
  if ((await readOwnProduct(sql, address, id)) === undefined) throw idTaken(id, merchant);
  const since = new Date(now.getTime() - UNNAMED_MS);
  return await dropUnnamedAssets(sql, { productId: id, sold, since });
}

/** Requires that the version which was read is the current one; 0 for a new product. */
async function requireVersion(
  sql: Sql,
  {
    id,
    version,
    current,
    merchant,
  }: { id: string; version: number; current: OwnProduct | undefined; merchant: OwnMerchant },
): Promise<void> {
  if (current !== undefined) {
    if (version === current.version) return;
    throw conflict(
      `The product ${id} is at version ${current.version}, not ${version}: read it again.`,
    );
  }
  if (version > 0) throw notFound(`You have no product ${id}.`);
  await requireFreeId(sql, id, merchant);
  if ((await countProducts(sql, merchant.id)) >= MAX_PRODUCTS) {
    throw unprocessable(`You have ${MAX_PRODUCTS} products, which is the maximum.`);
  }
}

/**
 * All products share one name space. Ids that begin with a merchant's slug and an underscore (which no slug
 * contains) are reserved for that merchant, so that no other merchant can block its names.
 */
async function requireFreeId(sql: Sql, id: string, merchant: OwnMerchant): Promise<void> {
  const [slug = '', ...rest] = id.split('_');
  const owner = rest.length === 0 ? undefined : await merchantOfSlug(sql, slug);
  if (owner !== undefined && owner !== merchant.id) {
    throw conflict(
      `Ids that begin with ${slug}_ are reserved for the merchant ${slug}: ${example(id, merchant)}`,
    );
  }
  if (await isProductIdUsed(sql, id)) throw idTaken(id, merchant);
}

function idTaken(id: string, merchant: OwnMerchant): HttpError {
  return conflict(`The id ${id} is taken: ${example(id, merchant)}`);
}

function example(id: string, { slug }: OwnMerchant): string {
  return `choose another, such as ${`${slug}_${id}`.slice(0, MAX_ID_CHARACTERS)}, which no other merchant can take.`;
}

/** Requires that no other merchant's product has these SKUs: one product could pass for the other. */
async function requireOwnSkus(sql: Sql, merchant: OwnMerchant, body: Body): Promise<void> {
  const skus = [
    { path: 'skuHash', skuHash: body.skuHash },
    ...(body.variants ?? []).map(({ skuHash }, index) => ({
      path: `variants.${index}.skuHash`,
      skuHash,
    })),
  ].flatMap(({ path, skuHash }) => (skuHash ? [{ path, skuHash: lowerHash(skuHash) }] : []));
  if (skus.length === 0) return;
  const others = await skusOfOthers(
    sql,
    merchant,
    skus.map(({ skuHash }) => skuHash),
  );
  const issues = skus
    .filter(({ skuHash }) => others.includes(skuHash))
    .map(({ path }) => ({ path, message: 'is the SKU of another merchant’s product' }));
  if (issues.length > 0) {
    throw unprocessable('The product cannot be saved: see issues.', issues);
  }
}
