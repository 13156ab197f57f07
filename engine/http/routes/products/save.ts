import type { z } from 'zod';
import type { ProductInput } from '../../../contract/shapes/product-input.ts';
import type { Hex } from '../../../core/events.ts';
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
import { type ProductToken, saveProduct } from '../../../db/commerce/save-product.ts';
import type { Sql } from '../../../db/connection.ts';
import { type OwnProduct, readOwnProduct } from '../../../db/read/own-products.ts';
import { lowerAddress } from '../../address.ts';
import type { AppDeps } from '../../deps.ts';
import { ConflictError, NotFoundError, UnprocessableError } from '../../errors.ts';
import { mediaItemOf, removeFiles } from '../../files/keep-upload.ts';
import type { Handler } from '../../handler.ts';
import { asOpenMerchant, requireOpenMerchant } from '../../own-merchant.ts';
import { answerOwnProduct } from '../../products/answer-product.ts';
import { planProduct } from '../../products/plan-product.ts';
import { tokenFacts } from '../../products/token-facts.ts';

type Body = z.infer<typeof ProductInput>;

/** Products of a merchant. */
const PRODUCTS_MOST = 1_000;

/** Characters of an id. */
const ID_CHARACTERS_MOST = 100;

/** Milliseconds that an uploaded file waits at least for a product to name it. */
const UNNAMED_MS = 3_600_000;

/**
 * `products.save`: writes the whole product where its version is the one that was read; one
 * transaction, after all other writes of the merchant. The same again changes nothing.
 */
export const save: Handler<'products.save'> = async ({ id, product: body }, deps, { session }) => {
  const { pool } = deps;
  await requireOpenMerchant(pool, session.address);
  // Before the transaction, because it may ask the chain.
  const token = body.token ? await tokenFacts(deps, lowerAddress(body.token)) : null;
  const dropped = await asOpenMerchant(
    pool,
    session.address,
    async (sql, merchant) => await write(sql, deps, { id, body, token, merchant }),
  );
  await removeFiles(deps, dropped);
  return await answerOwnProduct(deps, session.address, id);
};

interface Writing {
  readonly id: string;
  readonly body: Body;
  readonly token: ProductToken | null;
  readonly merchant: OwnMerchant;
}

/** @returns keys of files that no product names any more. */
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
    throw new UnprocessableError('The product cannot be saved: see issues.', issues);
  }
  const other = await productOfSku(sql, product);
  if (other !== undefined) {
    throw new ConflictError(`Your product ${other} has the SKU ${product.skuHash}.`);
  }
  await requireOwnSkus(sql, merchant, body);
  const now = new Date(deps.clock());
  await saveProduct(sql, product, now);
  // Another merchant may have taken a new id just now: then nothing was written.
  if ((await readOwnProduct(sql, address, id)) === undefined) throw taken(id, merchant);
  const since = new Date(now.getTime() - UNNAMED_MS);
  return await dropUnnamedAssets(sql, { productId: id, sold, since });
}

/** The version that was read must be the one that is there; of a new product it is 0. */
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
    throw new ConflictError(
      `The product ${id} is at version ${current.version}, and not ${version}: read it again.`,
    );
  }
  if (version > 0) throw new NotFoundError(`You have no product ${id}.`);
  await requireFreeId(sql, id, merchant);
  if ((await countProducts(sql, merchant.id)) >= PRODUCTS_MOST) {
    throw new UnprocessableError(`You have ${PRODUCTS_MOST} products, and may have no more.`);
  }
}

/**
 * All products share one name space. So that nobody can keep a merchant from its names, the ids that
 * begin with its slug and an underscore, which no slug has, are for that merchant alone.
 */
async function requireFreeId(sql: Sql, id: string, merchant: OwnMerchant): Promise<void> {
  const [slug = '', ...rest] = id.split('_');
  const owner = rest.length === 0 ? undefined : await merchantOfSlug(sql, slug);
  if (owner !== undefined && owner !== merchant.id) {
    throw new ConflictError(
      `Ids that begin with ${slug}_ are for the merchant ${slug} alone: ${example(id, merchant)}`,
    );
  }
  if (await isProductIdUsed(sql, id)) throw taken(id, merchant);
}

function taken(id: string, merchant: OwnMerchant): ConflictError {
  return new ConflictError(`The id ${id} is taken: ${example(id, merchant)}`);
}

function example(id: string, { slug }: OwnMerchant): string {
  return `choose another, such as ${`${slug}_${id}`.slice(0, ID_CHARACTERS_MOST)}, which nobody else can take.`;
}

/** A hash that another merchant's product has would pass one product off as the other. */
async function requireOwnSkus(sql: Sql, merchant: OwnMerchant, body: Body): Promise<void> {
  const given = [
    { path: 'skuHash', skuHash: body.skuHash },
    ...(body.variants ?? []).map(({ skuHash }, index) => ({
      path: `variants.${index}.skuHash`,
      skuHash,
    })),
  ].flatMap(({ path, skuHash }) => (skuHash ? [{ path, skuHash: lowerHash(skuHash) }] : []));
  if (given.length === 0) return;
  const others = await skusOfOthers(
    sql,
    merchant,
    given.map(({ skuHash }) => skuHash),
  );
  const issues = given
    .filter(({ skuHash }) => others.includes(skuHash))
    .map(({ path }) => ({ path, message: 'is the SKU of another merchant’s product' }));
  if (issues.length > 0) {
    throw new UnprocessableError('The product cannot be saved: see issues.', issues);
  }
}

function lowerHash(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}
