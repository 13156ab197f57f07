import fc from 'fast-check';
import { concat, keccak256, stringToBytes, toBytes } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { missingParts } from '../../engine/core/product.ts';
import { deployToken } from '../support/chain.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { named, png } from './support/images.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

type Body = Parameters<Client['products']['save']>[0]['product'];

const draft: Body = {
  version: 0,
  status: 'draft',
  title: 'Beans',
  summary: 'A kilo of beans.',
  category: 'food',
  fulfillmentMode: 'manual',
};
const whole: Body = {
  ...draft,
  outcome: 'Better mornings.',
  description: 'Roasted on Tuesday.',
  refundPolicy: 'Three days.',
  token: account(1),
  priceBaseUnits: '1000000',
  coverAlt: 'A bag of beans.',
};
const HOUR = 3_600_000;
/** When the chronicle begins. */
const START = 1_700_000_000_000;

describe('products', () => {
  let fixture: ApiFixture;
  let now = START - 24 * HOUR;
  let accounts = 5_000;
  let ids = 0;
  const history = new HistoryBuilder();

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    history.create('1');
    history.schedule('1');
    history.fund('1', 10_000_000n);
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  async function merchant() {
    accounts += 1;
    const slug = `m-${accounts}`;
    const address = account(accounts);
    const client = await fixture.clientAs(address);
    const { data } = await client.merchants.setup({ slug, name: slug });
    return { address, client, merchantId: data.id };
  }

  /** A draft with an id of its own, and a way to save it again. */
  async function drafted(changes: Partial<Body> = {}) {
    const owner = await merchant();
    ids += 1;
    const id = `product-${ids}`;
    const { data } = await owner.client.products.save({ id, product: { ...draft, ...changes } });
    let { version } = data;
    const save = async (product: Partial<Body>) => {
      const saved = await owner.client.products.save({
        id,
        product: { ...draft, version, ...product },
      });
      version = saved.data.version;
      return saved.data;
    };
    const upload = async (file: Blob) =>
      (await owner.client.products.uploadAsset({ id, file })).data.asset;
    return { ...owner, id, save, upload, first: data };
  }

  /** Everything that is reported after now, a block later. */
  async function indexNew(write: () => void): Promise<void> {
    const from = history.facts.length;
    history.nextBlock();
    write();
    await fixture.settle(history.facts.slice(from));
  }

  function sell(campaignId: string, merchantAddress: `0x${string}`, skuHash: `0x${string}`): void {
    history.create(campaignId, { merchant: merchantAddress, skuHash });
    history.schedule(campaignId);
    history.fund(campaignId, 1_000n);
  }

  const keys = async () =>
    [...(await fixture.deps.files.listAll('media')).objects]
      .map((file) => Reflect.get(file, 'key'))
      .sort();

  describe('save', () => {
    it('creates a draft that no one else sees, and names what is missing', async () => {
      const { id, merchantId, client, first } = await drafted();
      const skuHash = keccak256(stringToBytes(`${merchantId}/${id}`));
      expect(first).toMatchObject({
        id,
        merchantId,
        title: 'Beans',
        version: 1,
        status: 'draft',
        skuHash,
        token: null,
        priceBaseUnits: '0',
        variants: [],
        billingPeriod: null,
        media: [],
        coverId: null,
        liveCampaignCount: 0,
        usedBy: [],
        missing: ['outcome', 'description', 'cover', 'coverAlt', 'price'],
      });
      expect(first.updatedAt).toBe(new Date(now).toISOString());
      expect((await client.products.list({})).data.items).toEqual([first]);
      await expect(fixture.client().products.get({ id })).rejects.toMatchObject({ status: 404 });
    });

    it('raises the version with each change, and not without one', async () => {
      const { id, client, save } = await drafted();
      expect((await save({ title: 'More beans' })).version).toBe(2);
      expect((await save({ title: 'More beans' })).version).toBe(2);
      // What is left out is emptied.
      expect(await save({ outcome: 'Good.' })).toMatchObject({ version: 3, title: 'Beans' });
      expect(await save({})).toMatchObject({ version: 4, outcome: '' });
      for (const version of [0, 1, 3, 5]) {
        const stale = client.products.save({ id, product: { ...draft, version } });
        await expect(stale).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
      }
    });

    it('says when access begins, and that it begins with the purchase if the merchant chose nothing', async () => {
      const { id, client, first, save } = await drafted();
      expect(first.accessTiming).toBe('afterPurchase');
      // Saved as it was read, it is the same.
      expect((await save({ accessTiming: first.accessTiming })).version).toBe(1);
      expect(await save({ accessTiming: 'afterHold' })).toMatchObject({
        accessTiming: 'afterHold',
      });
      const read = async () => (await client.products.list({})).data.items[0]?.accessTiming;
      expect(await read()).toBe('afterHold');
      const { version } = await save({ status: 'archived', token: account(1) });
      expect(await read()).toBe('afterPurchase');
      const seen = await fixture.client().versions.get({ id, version });
      expect(seen.data.accessTiming).toBe('afterPurchase');
    });

    it('accepts one of many concurrent writes of a version', async () => {
      const { id, client } = await drafted();
      const writes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          client.products.save({ id, product: { ...draft, version: 1, title: `T${index}` } }),
        ),
      );
      expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await client.products.list({})).data.items[0]?.version).toBe(2);
    });

    it('gives an id to one merchant, and only reports to others that it is taken', async () => {
      const merchants = await Promise.all(Array.from({ length: 5 }, merchant));
      const made = await Promise.allSettled(
        merchants.map(({ client }) => client.products.save({ id: 'contested', product: draft })),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const [index, one] of made.entries()) {
        if (one.status === 'fulfilled') continue;
        expect(one.reason).toMatchObject({
          status: 409,
          message: expect.stringMatching(/^The id contested is taken: choose another, such as m-/),
        });
        const { client } = merchants[index] ?? (await merchant());
        const change = { id: 'contested', product: { ...draft, version: 1, title: 'Mine' } };
        await expect(client.products.save(change)).rejects.toMatchObject({ status: 404 });
        const file = png(1, 1);
        await expect(client.products.uploadAsset({ id: 'contested', file })).rejects.toMatchObject({
          status: 404,
        });
        expect((await client.products.list({})).data.items).toEqual([]);
      }
    });

    it('refuses ready while something is missing, naming each field', async () => {
      const { save } = await drafted();
      const fields = ['outcome', 'description', 'coverId', 'coverAlt', 'token', 'deliverable'];
      const ready = save({ status: 'ready', fulfillmentMode: 'external', title: 'T' });
      await expect(ready).rejects.toMatchObject({
        status: 422,
        issues: fields.map((path) => ({ path })),
      });
      const priceless = save({ ...whole, version: 1, priceBaseUnits: undefined, status: 'ready' });
      await expect(priceless).rejects.toMatchObject({
        issues: [{ path: 'coverId' }, { path: 'priceBaseUnits' }],
      });
      expect((await save({ status: 'archived' })).missing).not.toEqual([]);
    });

    it('shows everyone a product that is ready, without the fields that only buyers may see', async () => {
      const { id, save, upload } = await drafted();
      const cover = await upload(png(20, 10));
      const book = await upload(named('%PDF-1.7\n1 0 obj', 'book.pdf', 'application/pdf'));
      const own = await save({
        ...whole,
        version: 1,
        status: 'ready',
        fulfillmentMode: 'download',
        deliverable: book.id,
        accessTiming: 'afterHold',
        billingPeriod: 'yearly',
        mediaIds: [book.id, cover.id],
        coverId: cover.id,
        variants: [
          { id: 'half', name: 'Half', priceBaseUnits: '600000' },
          { id: 'gift', name: 'Gift', priceBaseUnits: '700000', skuHash: hash('Gift') },
        ],
      });
      expect(own).toMatchObject({
        status: 'ready',
        missing: [],
        deliverable: book.id,
        media: [book, cover],
        coverId: cover.id,
        coverUrl: cover.url,
        token: { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
      });
      const half = keccak256(concat([toBytes(own.skuHash), stringToBytes('half')]));
      expect(own.variants.map(({ skuHash }) => skuHash)).toEqual([half, hash('Gift')]);
      const { data } = await fixture.client().products.get({ id });
      expect(data).toMatchObject({
        priceBaseUnits: '1000000',
        token: own.token,
        billingPeriod: 'yearly',
        accessTiming: 'afterHold',
        coverUrl: cover.url,
        usedBy: [],
      });
      expect(data).not.toHaveProperty('deliverable');
      expect(data).not.toHaveProperty('missing');
      expect(data.media.find(({ id: one }) => one === book.id)).not.toHaveProperty('url');
    });

    it('accepts only a deliverable that fits its mode', async () => {
      const { save, upload } = await drafted();
      const image = await upload(png(1, 1));
      const book = await upload(new Blob(['%PDF-1.7\n']));
      const bad: Partial<Body>[] = [
        { fulfillmentMode: 'external', deliverable: 'javascript:alert(1)' },
        { fulfillmentMode: 'external', deliverable: 'not an address' },
        { fulfillmentMode: 'download', deliverable: image.id, mediaIds: [image.id] },
        { fulfillmentMode: 'download', deliverable: book.id },
        { fulfillmentMode: 'download', deliverable: 'https://x.example/file' },
      ];
      for (const changes of bad) {
        await expect(save(changes)).rejects.toMatchObject({
          status: 422,
          issues: [{ path: 'deliverable' }],
        });
      }
      const external = { fulfillmentMode: 'external', deliverable: 'https://x.example/' } as const;
      expect(await save(external)).toMatchObject(external);
      expect(await save({ deliverable: 'Ask at the door.' })).toMatchObject({ version: 3 });
    });

    it('requires unique SKUs within a product, and among all products of a merchant', async () => {
      const { id, client, save, first } = await drafted({ skuHash: hash('own') });
      expect(first.skuHash).toBe(hash('own'));
      expect((await save({ title: 'Kept' })).skuHash).toBe(hash('own'));
      const variant = { id: 'a', name: 'A', priceBaseUnits: '1' };
      const twice = [
        [{ ...variant, skuHash: hash('own') }],
        [
          { ...variant, skuHash: hash('v') },
          { ...variant, id: 'b', skuHash: hash('v') },
        ],
      ];
      for (const variants of twice) {
        await expect(save({ variants })).rejects.toMatchObject({
          status: 422,
          issues: [{ path: `variants.${variants.length - 1}.skuHash` }],
        });
      }
      const other = client.products.save({
        id: `${id}-other`,
        product: { ...draft, skuHash: hash('own') },
      });
      await expect(other).rejects.toMatchObject({
        status: 409,
        message: `Your product ${id} has the SKU ${hash('own')}.`,
      });
    });

    it('reserves ids that begin with a merchant’s slug for that merchant', async () => {
      const [mine, squatter] = [await merchant(), await merchant()];
      const slug = `m-${accounts - 1}`;
      const squat = squatter.client.products.save({ id: `${slug}_lamp`, product: draft });
      await expect(squat).rejects.toMatchObject({
        status: 409,
        message: /are reserved for the merchant m-/,
      });
      // An id that is squatted nevertheless leaves the merchant one that is not.
      await squatter.client.products.save({ id: `lamp-of-${slug}`, product: draft });
      const taken = mine.client.products.save({ id: `lamp-of-${slug}`, product: draft });
      await expect(taken).rejects.toMatchObject({
        message: `The id lamp-of-${slug} is taken: choose another, such as ${slug}_lamp-of-${slug}, which no other merchant can take.`,
      });
      for (const id of [`${slug}_lamp`, `${slug}_lamp-of-${slug}`]) {
        expect((await mine.client.products.save({ id, product: draft })).data.id).toBe(id);
      }
    });

    it('rejects the SKU of another merchant’s product, unless the merchant’s own campaign sells it', async () => {
      const victim = await drafted();
      const { skuHash } = victim.first;
      const thief = await drafted();
      const upper = `0x${skuHash.slice(2).toUpperCase()}` as const;
      for (const stolen of [skuHash, upper]) {
        await expect(thief.save({ skuHash: stolen })).rejects.toMatchObject({
          status: 422,
          issues: [{ path: 'skuHash', message: 'is the SKU of another merchant’s product' }],
        });
      }
      const variant = { id: 'a', name: 'A', priceBaseUnits: '1', skuHash };
      await expect(thief.save({ variants: [variant] })).rejects.toMatchObject({
        status: 422,
        issues: [{ path: 'variants.0.skuHash' }],
      });
      // What a campaign of one's own sells cannot be squatted either.
      await indexNew(() => sell('25', thief.address, skuHash));
      expect((await thief.save({ skuHash, status: 'archived' })).skuHash).toBe(skuHash);
    });

    it('refuses to change the SKU of a product that a campaign sells, or to make it a draft again', async () => {
      const { address, first, save } = await drafted({ status: 'archived' });
      await indexNew(() => sell('20', address, first.skuHash));
      await expect(save({ status: 'archived', skuHash: hash('x') })).rejects.toMatchObject({
        status: 422,
        issues: [{ path: 'skuHash', message: `is fixed as ${first.skuHash}: a campaign sells it` }],
      });
      await expect(save({})).rejects.toMatchObject({ status: 422, issues: [{ path: 'status' }] });
      expect(await save({ status: 'archived', title: 'New' })).toMatchObject({ version: 2 });
    });

    it('returns the version that each campaign was made with', async () => {
      const chainTime = () => history.time * 1_000;
      now = chainTime() - 1_000;
      const { id, address, first, save } = await drafted({ ...whole, status: 'archived' });
      await indexNew(() => sell('30', address, first.skuHash));
      now = chainTime() + 1_000;
      await save({ ...whole, version: 1, status: 'archived', title: 'Second' });
      await save({ ...whole, version: 2, status: 'archived', title: 'Third' });
      await indexNew(() => sell('31', address, first.skuHash));
      now = chainTime() + 1_000;
      const last = await save({ ...whole, version: 3, status: 'archived', title: 'Fourth' });
      const used = [
        { campaignId: '31', name: 'Third', state: 'FUNDED_ACTIVE', productVersion: 3 },
        { campaignId: '30', name: 'Beans', state: 'FUNDED_ACTIVE', productVersion: 1 },
      ];
      expect(last).toMatchObject({ version: 4, usedBy: used, liveCampaignCount: 2 });
      const { data } = await fixture.client().products.get({ id });
      expect(data).toMatchObject({ usedBy: used, liveCampaignCount: 2 });
      // A campaign that an operator hid is shown to its merchant alone.
      await fixture.pool`insert into commerce.moderation (campaign_id, hidden) values (31, true)`;
      const seen = (await fixture.client().products.get({ id })).data;
      expect(seen).toMatchObject({ usedBy: [used[1]], liveCampaignCount: 1 });
      const own = (await (await fixture.clientAs(address)).products.list({})).data.items[0];
      expect(own).toMatchObject({ usedBy: used, liveCampaignCount: 1 });
      // The version that its metadata names goes before the time.
      await fixture.pool`
        insert into commerce.campaign_metadata
          (merchant, metadata_hash, content, product_id, product_version)
        values (${address}, ${hash('metadata 30')}, '{}', ${id}, 2)`;
      const named = (await (await fixture.clientAs(address)).products.list({})).data.items[0];
      expect(named?.usedBy[1]).toMatchObject({ name: 'Second', productVersion: 2 });
    });

    it('answers 404 to an account without a profile', async () => {
      const client = await fixture.clientAs(account(9_998));
      const save = client.products.save({ id: 'nobody', product: draft });
      await expect(save).rejects.toMatchObject({ status: 404, message: /merchants\.setup/ });
      expect((await client.products.list({})).data).toEqual({ items: [], nextCursor: null });
    });
  });

  it('reports exactly the missing fields that prevent a product from being ready', () => {
    const text = fc.constantFrom('', '  \n', 'words');
    const product = fc.record({
      title: text,
      outcome: text,
      description: text,
      category: text,
      coverUrl: fc.constantFrom(null, 'https://x.example/'),
      coverAlt: fc.option(text),
      price: fc.constantFrom(0n, 1n),
      hasToken: fc.boolean(),
      fulfillmentMode: fc.constantFrom('download', 'external', 'manual'),
      deliverable: fc.option(text),
    });
    const said = (value: string | null) => value === 'words';
    fc.assert(
      fc.property(product, (one) => {
        const parts = missingParts(one);
        expect(new Set(parts).size).toBe(parts.length);
        expect(parts.includes('title')).toBe(!said(one.title));
        expect(parts.includes('outcome')).toBe(!said(one.outcome));
        expect(parts.includes('description')).toBe(!said(one.description));
        expect(parts.includes('category')).toBe(!said(one.category));
        expect(parts.includes('cover')).toBe(one.coverUrl === null);
        expect(parts.includes('coverAlt')).toBe(!said(one.coverAlt));
        expect(parts.includes('price')).toBe(!(one.price > 0n && one.hasToken));
        const delivered = one.fulfillmentMode === 'manual' || said(one.deliverable);
        expect(parts.includes('deliverable')).toBe(!delivered);
      }),
    );
  });

  describe('list', () => {
    it('pages through a merchant’s own products, the last changed first, by status and words', async () => {
      const { client } = await merchant();
      for (let index = 0; index < 7; index += 1) {
        // Some of them at the same moment.
        if (index % 3 === 0) now += 1;
        const status = index % 2 === 0 ? 'draft' : 'archived';
        const product = { ...draft, status, title: `Lamp ${index}` } as const;
        await client.products.save({ id: `lamp-${accounts}-${index}`, product });
      }
      const titles = async (list: { status?: 'draft'; q?: string }) => {
        const found: string[] = [];
        const all = client.pages(client.products.list, { ...list, limit: 2 });
        for await (const { title } of all) found.push(title.slice(5));
        return found.join(' ');
      };
      expect(await titles({})).toBe('6 5 4 3 2 1 0');
      expect(await titles({ status: 'draft' })).toBe('6 4 2 0');
      expect(await titles({ q: 'lam' })).toBe('6 5 4 3 2 1 0');
      expect(await titles({ q: 'LAMP 3' })).toBe('3');
      expect(await titles({ q: 'beans kilo', status: 'draft' })).toBe('6 4 2 0');
      expect(await titles({ q: 'table' })).toBe('');
      expect(await titles({ q: "' & | !" })).toBe('');
    });
  });

  describe('remove', () => {
    const rowsOf = async (id: string) =>
      await fixture.pool`
        select 'product' as kind from commerce.product where id = ${id}
        union all select 'version' from commerce.product_version where product_id = ${id}
        union all select 'asset' from commerce.asset where product_id = ${id}`;

    it('deletes a draft with its versions and files, and frees its id and its SKU', async () => {
      const before = await keys();
      const { id, client, first, save, upload } = await drafted();
      const image = await upload(png(5, 5));
      await save({ mediaIds: [image.id], title: 'Second' });
      expect(await rowsOf(id)).toHaveLength(4);
      expect((await client.products.remove({ id })).data).toEqual({ ok: true });
      expect(await rowsOf(id)).toEqual([]);
      expect(await keys()).toEqual(before);
      expect((await fixture.app().request(`/media/${image.id}`)).status).toBe(404);
      expect((await client.products.list({})).data.items).toEqual([]);
      await expect(client.products.remove({ id })).rejects.toMatchObject({ status: 404 });
      const other = (await merchant()).client;
      const again = { ...draft, skuHash: first.skuHash };
      const { data } = await other.products.save({ id, product: again });
      expect(data).toMatchObject({ version: 1, media: [] });
    });

    it('refuses to delete a product that was published, even if it is a draft again', async () => {
      const published = await drafted({ status: 'archived' });
      for (const status of ['archived', 'draft'] as const) {
        await published.save({ status });
        await expect(published.client.products.remove({ id: published.id })).rejects.toMatchObject({
          status: 409,
          message: expect.stringContaining('it was published'),
        });
      }
      expect(await rowsOf(published.id)).toHaveLength(3);
    });

    it('refuses to delete a product of another merchant', async () => {
      const { id } = await drafted();
      const { client } = await merchant();
      await expect(client.products.remove({ id })).rejects.toMatchObject({ status: 404 });
      expect(await rowsOf(id)).toHaveLength(2);
    });

    it('names the campaigns and the drafts of campaigns that depend on a product', async () => {
      const { id, address, client, first } = await drafted();
      const plan = { version: 0, productId: id };
      await client.campaigns.saveDraft({ id: 'winter', draft: plan });
      await indexNew(() => sell('50', address, first.skuHash));
      await expect(client.products.remove({ id })).rejects.toMatchObject({
        status: 409,
        code: 'CONFLICT',
        message: `The product ${id} cannot be deleted: campaigns sell it (50); drafts of campaigns name it (winter).`,
      });
      const second = await drafted();
      await second.client.campaigns.saveDraft({
        id: 'summer',
        draft: { version: 0, productId: second.id },
      });
      const remove = async () => await second.client.products.remove({ id: second.id });
      await expect(remove()).rejects.toMatchObject({ status: 409 });
      await second.client.campaigns.deleteDraft({ id: 'summer' });
      expect((await remove()).data).toEqual({ ok: true });
    });

    it('deletes a product or publishes it, if both are requested concurrently', async () => {
      for (let round = 0; round < 4; round += 1) {
        const { id, client } = await drafted();
        const [removed, saved] = await Promise.allSettled([
          client.products.remove({ id }),
          client.products.save({ id, product: { ...draft, version: 1, status: 'archived' } }),
        ]);
        const rows = await rowsOf(id);
        if (removed.status === 'fulfilled') {
          expect(saved).toMatchObject({ status: 'rejected', reason: { status: 404 } });
          expect(rows).toEqual([]);
        } else {
          expect(removed.reason).toMatchObject({ status: 409 });
          expect(saved.status).toBe('fulfilled');
          expect(rows).toHaveLength(3);
        }
      }
    });

    it('leaves no file if a file is uploaded while its product is deleted', async () => {
      const before = await keys();
      for (let round = 0; round < 4; round += 1) {
        const { id, client } = await drafted();
        const [uploaded, removed] = await Promise.allSettled([
          client.products.uploadAsset({ id, file: png(6, 6) }),
          client.products.remove({ id }),
        ]);
        expect(removed.status).toBe('fulfilled');
        if (uploaded.status === 'rejected') expect(uploaded.reason).toMatchObject({ status: 404 });
        expect(await rowsOf(id)).toEqual([]);
        expect(await keys()).toEqual(before);
      }
    });

    it('refuses an upload whose product was deleted while its file was stored', async () => {
      const { id, client, address } = await drafted();
      const before = await keys();
      const files = new Proxy(fixture.deps.files, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target);
          if (name !== 'put') return typeof value === 'function' ? value.bind(target) : value;
          return async (...input: Parameters<typeof target.put>) => {
            await target.put(...input);
            await client.products.remove({ id });
          };
        },
      });
      const slow = await fixture.clientAs(address, { files });
      const upload = slow.products.uploadAsset({ id, file: png(7, 7) });
      await expect(upload).rejects.toMatchObject({ status: 404 });
      expect(await keys()).toEqual(before);
    });
  });

  describe('uploadAsset', () => {
    it('uploadAsset returns 404 before the product is saved', async () => {
      const { client } = await merchant();
      const upload = client.products.uploadAsset({ id: 'not-yet', file: png(1, 1) });
      await expect(upload).rejects.toMatchObject({ status: 404, message: /save it first/ });
    });

    it('accepts a download of any binary type, and never publishes it', async () => {
      const { upload } = await drafted();
      const asset = await upload(named('PK\x03\x04 no real archive', 'x.png', 'image/png'));
      expect(asset).toMatchObject({ kind: 'download', size: 20 });
      expect(asset).not.toHaveProperty('url');
      expect((await fixture.app().request(`/media/${asset.id}`)).status).toBe(404);
    });

    it('rejects files of another product', async () => {
      const one = await drafted();
      const image = await one.upload(png(2, 2));
      const other = await drafted();
      const steal = other.save({ mediaIds: [image.id], coverId: image.id });
      await expect(steal).rejects.toMatchObject({
        status: 422,
        issues: [{ path: 'mediaIds.0' }, { path: 'coverId' }],
      });
      const twice = one.save({ mediaIds: [image.id, image.id] });
      await expect(twice).rejects.toMatchObject({ issues: [{ path: 'mediaIds.1' }] });
      const book = await one.upload(new Blob(['%PDF-1.7\n']));
      const covered = one.save({ mediaIds: [book.id], coverId: book.id });
      await expect(covered).rejects.toMatchObject({
        issues: [{ path: 'coverId', message: 'must be an image' }],
      });
    });

    it('deletes a file that no product names, an hour after its upload', async () => {
      const { save, upload } = await drafted();
      const before = await keys();
      const [a, b] = [await upload(png(1, 1)), await upload(png(2, 2))];
      const both = [`media/${a.id}`, `media/${b.id}`];
      await save({ mediaIds: [a.id] });
      expect(await keys()).toEqual([...before, ...both].sort());
      now += HOUR;
      expect((await save({ mediaIds: [a.id], title: 'Later' })).media).toEqual([a]);
      expect(await keys()).toEqual([...before, `media/${a.id}`].sort());
      await expect(save({ mediaIds: [b.id] })).rejects.toMatchObject({ status: 422 });
      await save({});
      expect(await keys()).toEqual(before);
    });

    it('retains the files of a version that a campaign may sell', async () => {
      const { address, first, save, upload } = await drafted({ status: 'archived' });
      const shown = await upload(png(3, 3));
      const never = await upload(png(4, 4));
      await save({ status: 'archived', mediaIds: [shown.id] });
      await indexNew(() => sell('40', address, first.skuHash));
      now += HOUR;
      expect((await save({ status: 'archived' })).media).toEqual([]);
      const app = fixture.app();
      expect((await app.request(`/media/${shown.id}`)).status).toBe(200);
      expect((await app.request(`/media/${never.id}`)).status).toBe(404);
      expect((await save({ status: 'archived', mediaIds: [shown.id] })).media).toEqual([shown]);
    });

    it('accepts at most 100 files of a product, however many arrive concurrently', async () => {
      const { id, client, merchantId } = await drafted();
      await fixture.pool`
        insert into commerce.asset
          (id, merchant_id, product_id, kind, key, size, sha256, content_type, extension)
        select ${id} || '-' || n, ${merchantId}, ${id}, 'download', ${id} || '/' || n, 1,
          ${'0'.repeat(64)}, 'application/pdf', 'pdf'
        from generate_series(1, 98) n`;
      const before = await keys();
      const uploads = await Promise.allSettled(
        Array.from({ length: 3 }, () => client.products.uploadAsset({ id, file: png(1, 1) })),
      );
      expect(uploads.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      for (const one of uploads) {
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 422 });
      }
      expect(await keys()).toHaveLength(before.length + 2);
    });
  });

  describe('an image', () => {
    it('serves an image with its own type, cached forever, and never as something executable', async () => {
      const { upload } = await drafted();
      const { id, sha256, size } = await upload(named(png(5, 5), 'x.svg', 'image/svg+xml'));
      const app = fixture.app();
      const response = await app.request(`/media/${id}`);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(size),
        'content-disposition': `inline; filename="${id}.png"`,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        etag: `"${sha256}"`,
      });
      const head = await app.request(`/media/${id}`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      for (const etag of [`"${sha256}"`, `"x", W/"${sha256}"`, '*']) {
        const headers = { 'if-none-match': etag };
        const cached = await app.request(`/media/${id}`, { headers });
        expect([cached.status, await cached.text()]).toEqual([304, '']);
      }
      const other = await app.request(`/media/${id}`, { headers: { 'if-none-match': '"x"' } });
      expect(other.status).toBe(200);
      for (const none of ['nobody', '%00', '..%2f..%2fetc%2fpasswd', 'x'.repeat(101)]) {
        expect((await app.request(`/media/${none}`)).status).toBe(404);
      }
    });
  });
});

describe('a product’s token', () => {
  let live: LiveFixture;
  let client: Client;

  beforeAll(async () => {
    live = await LiveFixture.open();
    await live.fixture.settle(tokenless().facts);
    client = await live.fixture.clientAs(account(6_000));
    await client.merchants.setup({ slug: 'live', name: 'Live' });
  });
  afterAll(() => live.close());

  /** A ledger has to have something settled before it is read. */
  function tokenless(): HistoryBuilder {
    const history = new HistoryBuilder();
    history.create('1', { token: account(0xabc), tokenSymbol: 'OLD' });
    history.schedule('1');
    return history;
  }

  const priced = (id: string, token: `0x${string}`) =>
    client.products.save({ id, product: { ...draft, token, priceBaseUnits: '5' } });

  it('reads a product’s token from the ledger if a campaign uses it, and from the chain otherwise', async () => {
    const { chain } = live;
    const token = await deployToken(chain, { name: 'Kröne', symbol: 'KR', decimals: 2 });
    const { data } = await priced('on-chain', token);
    const address = token.toLowerCase();
    expect(data.token).toEqual({ address, symbol: 'KR', decimals: 2, name: 'Kröne' });
    expect(data.missing).not.toContain('price');
    expect((await priced('in-ledger', account(0xabc))).data.token?.symbol).toBe('OLD');
  });

  it('refuses an account, another contract or a precompile as a product’s token', async () => {
    const { accounts, contract } = live.chain;
    for (const token of [accounts[0] ?? contract, contract, account(4)]) {
      await expect(priced('no-token', token)).rejects.toMatchObject({
        status: 422,
        issues: [{ path: 'token' }],
      });
    }
    const { items } = (await client.products.list({})).data;
    expect(items.map(({ id }) => id)).not.toContain('no-token');
  });

  it('waits for a chain that does not answer, and saves nothing', async () => {
    const lost = await live.fixture.clientAs(account(6_000), { client: away });
    const save = lost.products.save({ id: 'away', product: { ...draft, token: account(77) } });
    await expect(save).rejects.toMatchObject({ status: 503, issues: [{ path: 'token' }] });
    const { items } = (await client.products.list({})).data;
    expect(items.map(({ id }) => id)).not.toContain('away');
  });
});
