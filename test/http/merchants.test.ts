import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldNames } from '../../engine/db/commerce/purges.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { confirmed } from './support/confirmed.ts';
import { HistoryBuilder } from './support/facts.ts';
import { gif, jpeg, named, png } from './support/images.ts';
import { moderate } from './support/moderate.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const ACME = account(1_000);
const about = {
  description: 'Pots.',
  websiteUrl: 'https://pots.example/',
  supportEmail: 'help@pots.example',
} as const;

describe('a merchant', () => {
  let fixture: ApiFixture;
  let now = Date.UTC(2026, 0, 1);
  let tick = 0;
  let accounts = 3_000;

  beforeAll(async () => {
    const clock = () => {
      now += tick;
      return now;
    };
    fixture = await ApiFixture.open({ clock });
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  const freshAccount = () => {
    accounts += 1;
    return account(accounts);
  };

  async function merchant(slug: string) {
    const address = freshAccount();
    const client = await fixture.clientAs(address);
    const { data } = await client.merchants.setup({ slug, name: slug });
    return { address, client, profile: data };
  }

  const files = async () => (await fixture.deps.files.listAll('media')).objects;
  const keys = async () => [...(await files())].map((file) => Reflect.get(file, 'key')).sort();

  describe('setup', () => {
    it('creates a profile that everyone can read', async () => {
      const address = freshAccount();
      const client = await fixture.clientAs(address);
      await expect(client.merchants.me()).rejects.toMatchObject({ status: 404 });
      const { data } = await client.merchants.setup({ slug: 'pots', name: 'Pots', ...about });
      expect(data).toMatchObject({ slug: 'pots', name: 'Pots', address, ...about, logo: null });
      expect(data).toMatchObject({ status: 'active', closedAt: null, createdAt: data.updatedAt });
      expect(data.createdAt).toBe(new Date(now).toISOString());
      expect((await client.merchants.me()).data).toEqual(data);
      const seen = await fixture.client().merchants.get({ slug: 'pots' });
      expect(seen.data).toMatchObject({ id: data.id, address, ...about, profiled: true });
    });

    it('creates one permanent profile for an account, however many requests arrive concurrently', async () => {
      const client = await fixture.clientAs(freshAccount());
      const slugs = Array.from({ length: 8 }, (_, index) => `many-${index}`);
      const made = await Promise.allSettled(
        slugs.map((slug) => client.merchants.setup({ slug, name: slug })),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { slug } = (await client.merchants.me()).data;
      await expect(client.merchants.setup({ slug: 'another', name: 'X' })).rejects.toMatchObject({
        status: 409,
        message: `You already have a profile, ${slug}: an account has only one.`,
      });
    });

    it('gives a slug to one account, and suggests a free one to the others', async () => {
      const clients = await Promise.all(
        Array.from({ length: 6 }, async () => await fixture.clientAs(freshAccount())),
      );
      const made = await Promise.allSettled(
        clients.map((client) => client.merchants.setup({ slug: 'wanted', name: 'Wanted' })),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of made) {
        if (one.status === 'fulfilled') continue;
        expect(one.reason).toMatchObject({
          status: 409,
          code: 'CONFLICT',
          message: 'Another merchant has the slug wanted: wanted-2 is free.',
        });
      }
    });

    it('rejects a slug that looks like an address, and half a surrogate pair', async () => {
      const client = await fixture.clientAs(freshAccount());
      const bad = [
        { slug: account(5) },
        { slug: 'Ä' },
        { name: '\ud800' },
        { websiteUrl: 'ftp://x' },
      ];
      for (const change of bad) {
        const input = { slug: 'fine', name: 'Fine', ...change };
        await expect(client.merchants.setup(input)).rejects.toMatchObject({ status: 400 });
      }
    });
  });

  describe('slugAvailable', () => {
    it('says whether a slug is free, and the first free one like it', async () => {
      const { client } = await merchant('lamps');
      const other = await fixture.clientAs(freshAccount());
      const ask = async (slug: string) => (await other.merchants.slugAvailable({ slug })).data;
      expect(await ask('lights')).toEqual({ slug: 'lights', available: true, suggestion: null });
      expect(await ask('lamps')).toMatchObject({ available: false, suggestion: 'lamps-2' });
      await merchant('lamps-2');
      expect(await ask('lamps')).toMatchObject({ available: false, suggestion: 'lamps-3' });
      expect((await client.merchants.slugAvailable({ slug: 'lamps' })).data.available).toBe(true);
    });

    it('suggests a slug that setup accepts, however long the requested one is', async () => {
      const long = 'x'.repeat(63);
      await merchant(long);
      const client = await fixture.clientAs(freshAccount());
      const { suggestion } = (await client.merchants.slugAvailable({ slug: long })).data;
      expect(suggestion).toBe(`${'x'.repeat(61)}-2`);
      await client.merchants.setup({ slug: suggestion ?? '', name: 'Long' });
    });
  });

  describe('update', () => {
    it('changes the fields of the request, clears those that are null, and leaves the others', async () => {
      const { client, profile } = await merchant('cups');
      now += 60_000;
      const { data } = await client.merchants.update({ name: 'Cups & more', ...about });
      expect(data).toMatchObject({ slug: 'cups', name: 'Cups & more', ...about });
      expect(Date.parse(data.updatedAt)).toBe(now);
      expect(data.createdAt).toBe(profile.createdAt);
      const emptied = await client.merchants.update({ websiteUrl: null, description: '' });
      expect(emptied.data).toMatchObject({
        name: 'Cups & more',
        description: '',
        websiteUrl: null,
        supportEmail: about.supportEmail,
      });
      expect((await client.merchants.update({})).data).toMatchObject({ name: 'Cups & more' });
    });

    it('changes to a free slug, and not to another merchant’s', async () => {
      const { client } = await merchant('forks');
      await merchant('spoons');
      await expect(client.merchants.update({ slug: 'spoons' })).rejects.toMatchObject({
        status: 409,
        message: 'Another merchant has the slug spoons: spoons-2 is free.',
      });
      await client.merchants.update({ slug: 'knives' });
      expect((await client.merchants.me()).data.slug).toBe('knives');
    });

    it('leads to the merchant from a slug that it gave up, until another one takes it', async () => {
      const first = await merchant('first-name');
      await first.client.merchants.update({ slug: 'second-name' });
      await first.client.merchants.update({ slug: 'third-name' });
      const { merchants } = fixture.client();
      for (const slug of ['first-name', 'second-name', 'third-name']) {
        const { data } = await merchants.get({ slug });
        expect(data).toMatchObject({ slug: 'third-name', address: first.address });
        expect((await merchants.record({ slug })).data.address).toBe(first.address);
        expect((await merchants.offers({ slug })).data.items).toEqual([]);
      }
      await expect(merchants.get({ slug: 'no-name' })).rejects.toMatchObject({ status: 404 });
      now += 31 * 86_400_000;
      await deleteOldNames(fixture.pool, new Date(now));
      expect((await merchants.get({ slug: 'first-name' })).data.slug).toBe('third-name');
      const address = freshAccount();
      const second = await fixture.clientAs(address);
      await second.merchants.setup({ slug: 'first-name', name: 'Another shop' });
      expect((await merchants.get({ slug: 'first-name' })).data.address).toBe(address);
      expect((await merchants.get({ slug: 'second-name' })).data.address).toBe(first.address);
    });

    it('filters campaigns by a slug that their merchant gave up', async () => {
      const client = await fixture.clientAs(account(1_000));
      const { slug } = (await client.merchants.me()).data;
      const { campaigns } = fixture.client();
      const { items } = (await campaigns.list({ merchant: slug })).data;
      expect(items).not.toEqual([]);
      await client.merchants.update({ slug: 'another-name' });
      expect((await campaigns.list({ merchant: slug })).data.items).toEqual(
        (await campaigns.list({ merchant: 'another-name' })).data.items,
      );
      await client.merchants.update({ slug });
    });

    it('leaves the time of the last change if nothing changes', async () => {
      const { client, profile } = await merchant('still');
      now += 60_000;
      expect((await client.merchants.update({})).data.updatedAt).toBe(profile.updatedAt);
      const same = await client.merchants.update({ slug: 'still', name: 'still' });
      expect(same.data.updatedAt).toBe(profile.updatedAt);
      const changed = await client.merchants.update(about);
      expect(changed.data.updatedAt).toBe(new Date(now).toISOString());
      now += 60_000;
      expect((await client.merchants.update(about)).data).toEqual(changed.data);
    });

    it('refuses an update by an account without a profile, and asks it to create one', async () => {
      const client = await fixture.clientAs(freshAccount());
      await expect(client.merchants.update({ name: 'X' })).rejects.toMatchObject({
        status: 404,
        message: 'You have no merchant profile: create one with merchants.setup.',
      });
    });
  });

  describe('protected names', () => {
    it.each([
      { slug: 'admin' },
      { slug: 'sup-port' },
      { slug: 'my-tributary' },
      { name: 'Support' },
      { name: 'Tributary Help' },
      { name: '  ' },
      { name: 'Harbor ' },
      { name: 'Harbor\u202e' },
      { name: 'Har\u200bbor' },
      { name: 'Harbor\u0007' },
    ])('refuses %j, at setup and later', async (change) => {
      const [field] = Object.keys(change);
      const expected = { status: 400, issues: [{ path: field }] };
      const fresh = await fixture.clientAs(freshAccount());
      const input = { slug: 'plain', name: 'Plain', ...change };
      await expect(fresh.merchants.setup(input)).rejects.toMatchObject(expected);
      const { client } = await merchant(`plain-${accounts}`);
      await expect(client.merchants.update(change)).rejects.toMatchObject(expected);
    });

    it('says that a reserved slug is not available', async () => {
      const { client } = await merchant('asks');
      const ask = async (slug: string) => (await client.merchants.slugAvailable({ slug })).data;
      expect(await ask('admin')).toMatchObject({ available: false, suggestion: 'admin-2' });
      expect(await ask('tributary')).toMatchObject({ available: false, suggestion: null });
    });

    it('gives a name to one merchant, whatever its case and spacing', async () => {
      const [first, second] = [await merchant('owls-1'), await merchant('owls-2')];
      await first.client.merchants.update({ name: 'Night  Owls' });
      const other = await fixture.clientAs(freshAccount());
      const refused = { status: 409, message: expect.stringContaining('belongs to another') };
      const same = { slug: 'owls-3', name: 'NIGHT owls' };
      await expect(other.merchants.setup(same)).rejects.toMatchObject(refused);
      await expect(second.client.merchants.update({ name: 'night owls' })).rejects.toMatchObject(
        refused,
      );
      await expect(other.merchants.me()).rejects.toMatchObject({ status: 404 });
      expect((await first.client.merchants.update({ name: 'Night Owls' })).data.name).toBe(
        'Night Owls',
      );
    });

    it('gives a name to one of several merchants that take it concurrently', async () => {
      const rivals = await Promise.all([1, 2, 3].map((one) => merchant(`rival-${one}`)));
      const answers = await Promise.allSettled(
        rivals.map(({ client }) => client.merchants.update({ name: 'The Rivals' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
      ]);
    });

    it('reserves a slug and a name that were given up for their previous owner for 30 days', async () => {
      const [first, second] = [await merchant('old-shop'), await merchant('new-shop')];
      await first.client.merchants.update({ slug: 'moved', name: 'Moved' });
      const refusal = { status: 409, message: expect.stringContaining('in the last 30 days') };
      for (const change of [{ slug: 'old-shop' }, { name: 'Old-Shop' }]) {
        await expect(second.client.merchants.update(change)).rejects.toMatchObject(refusal);
      }
      const ask = await second.client.merchants.slugAvailable({ slug: 'old-shop' });
      expect(ask.data).toMatchObject({ available: false, suggestion: 'old-shop-2' });
      await first.client.merchants.update({ slug: 'old-shop' });
      await first.client.merchants.update({ slug: 'moved' });
      now += 31 * 86_400_000;
      const later = await fixture.clientAs(second.address);
      const { data } = await later.merchants.update({ slug: 'old-shop', name: 'Old-Shop' });
      expect(data).toMatchObject({ slug: 'old-shop', name: 'Old-Shop' });
    });

    it('lets a merchant give up three slugs in 30 days', async () => {
      const { client } = await merchant('moves-0');
      for (const slug of ['moves-1', 'moves-2', 'moves-3']) await client.merchants.update({ slug });
      await expect(client.merchants.update({ slug: 'moves-4' })).rejects.toMatchObject({
        status: 422,
      });
      expect((await client.merchants.me()).data.slug).toBe('moves-3');
    });
  });

  describe('uploadLogo', () => {
    it('stores the image with its size and hash, and serves it to everyone', async () => {
      const { client } = await merchant('logos');
      const file = png(40, 20);
      const bytes = Buffer.from(await file.arrayBuffer());
      const { data } = await client.merchants.uploadLogo({ file });
      expect(data.logo).toMatchObject({
        kind: 'image',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        url: `https://shop.example/media/${data.logo.id}`,
        width: 40,
        height: 20,
      });
      expect((await client.merchants.me()).data.logo).toEqual(data.logo);
      const seen = await fixture.client().merchants.get({ slug: 'logos' });
      expect(seen.data.logo).toEqual(data.logo);
      const image = await fixture.app().request(`/media/${data.logo.id}`);
      expect(image.status).toBe(200);
      expect(Buffer.from(await image.arrayBuffer())).toEqual(bytes);
    });

    it('detects the type from the content, and the size as displayed', async () => {
      const { client } = await merchant('types');
      const lying = named(png(3, 4), 'logo.html', 'text/html');
      const first = await client.merchants.uploadLogo({ file: lying });
      const image = await fixture.app().request(`/media/${first.data.logo.id}`);
      expect(image.headers.get('content-type')).toBe('image/png');
      const second = await client.merchants.uploadLogo({ file: gif(7, 9) });
      expect(second.data.logo).toMatchObject({ width: 7, height: 9 });
      const third = await client.merchants.uploadLogo({ file: jpeg(30, 10) });
      expect(third.data.logo).toMatchObject({ width: 30, height: 10 });
      const onItsSide = await client.merchants.uploadLogo({ file: jpeg(30, 10, 6) });
      expect(onItsSide.data.logo).toMatchObject({ width: 10, height: 30 });
    });

    it('deletes the previous logo and its file', async () => {
      const { client } = await merchant('again');
      const before = await keys();
      const first = (await client.merchants.uploadLogo({ file: png(1, 1) })).data.logo;
      const second = (await client.merchants.uploadLogo({ file: png(2, 2) })).data.logo;
      expect(await keys()).toEqual([...before, `media/${second.id}`].sort());
      const gone = await fixture.app().request(`/media/${first.id}`);
      expect(gone.status).toBe(404);
    });

    it('deletes a logo with its file, and changes nothing without one', async () => {
      const { client, profile } = await merchant('bare');
      now += 60_000;
      expect((await client.merchants.removeLogo()).data).toEqual({ ok: true });
      expect((await client.merchants.me()).data.updatedAt).toBe(profile.updatedAt);
      const before = await keys();
      const { logo } = (await client.merchants.uploadLogo({ file: png(1, 1) })).data;
      now += 60_000;
      expect((await client.merchants.removeLogo()).data).toEqual({ ok: true });
      const { data } = await client.merchants.me();
      expect(data).toMatchObject({ logo: null, updatedAt: new Date(now).toISOString() });
      expect(await keys()).toEqual(before);
      expect((await fixture.app().request(`/media/${logo.id}`)).status).toBe(404);
      expect((await fixture.client().merchants.get({ slug: 'bare' })).data.logo).toBeNull();
      const outsider = await fixture.clientAs(freshAccount());
      await expect(outsider.merchants.removeLogo()).rejects.toMatchObject({ status: 404 });
    });

    it('stores exactly the file of the logo that is shown, however uploads and deletions arrive', async () => {
      const { client } = await merchant('both');
      const before = await keys();
      await Promise.all([
        client.merchants.uploadLogo({ file: png(1, 1) }),
        client.merchants.removeLogo(),
        client.merchants.uploadLogo({ file: png(2, 2) }),
        client.merchants.removeLogo(),
      ]);
      const { logo } = (await client.merchants.me()).data;
      const shown = logo === null ? [] : [`media/${logo.id}`];
      expect(await keys()).toEqual([...before, ...shown].sort());
    });

    it('refuses a file that is no image, too large or has too many pixels, and stores no file', async () => {
      const { client } = await merchant('refused');
      const before = await keys();
      const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
      const xml = `<?xml version="1.0"?>${svg}`;
      const cases: [Blob, number][] = [
        [new Blob([]), 400],
        [new Blob([svg]), 415],
        [named(xml, 'logo.png', 'image/png'), 415],
        [new Blob(['\ufeff \n<!doctype html><p>']), 415],
        [new Blob(['just text']), 415],
        [new Blob(['%PDF-1.7\n']), 415],
        [await tornPng(), 415],
        [png(10_001, 1), 415],
        [png(8_000, 8_000), 415],
        [new Blob([png(1, 1), new Uint8Array(1024 * 1024)]), 413],
      ];
      for (const [index, [file, status]] of cases.entries()) {
        const upload = client.merchants.uploadLogo({ file });
        await expect(upload, String(index)).rejects.toMatchObject({ status });
      }
      expect((await client.merchants.me()).data.logo).toBeNull();
      expect(await keys()).toEqual(before);
    });

    it('leaves no file if its row cannot be written', async () => {
      const { client, profile } = await merchant('full');
      await fixture.pool`
        insert into commerce.asset
          (id, merchant_id, kind, key, size, sha256, content_type, extension, width, height)
        values ('full-disk', ${profile.id}, 'image', 'nowhere', ${1024 ** 3}, ${'0'.repeat(64)},
          'image/png', 'png', 1, 1)`;
      const before = await keys();
      await expect(client.merchants.uploadLogo({ file: png(1, 1) })).rejects.toMatchObject({
        status: 422,
        issues: [{ path: 'file' }],
      });
      expect(await keys()).toEqual(before);
    });
  });

  describe('close', () => {
    it('requires the slug again and a fresh signature', async () => {
      const { client } = await merchant('sure');
      await expect(client.merchants.close({ slug: 'other' })).rejects.toMatchObject({
        status: 422,
        issues: [{ path: 'slug', message: 'must be sure, the slug of the profile to close' }],
      });
      await expect(client.merchants.close({ slug: 'sure' })).rejects.toMatchObject({
        status: 403,
        code: 'CONFIRMATION_REQUIRED',
      });
      expect((await client.merchants.me()).data.status).toBe('active');
    });

    it('names what remains open with amounts, and changes nothing', async () => {
      await dispute('d-open', 'open', 2);
      await dispute('d-declined', 'declined', 5);
      await dispute('d-settled', 'open', 1);
      const { client, confirmationToken } = await confirmed(fixture, ACME);
      const { data } = await client.merchants.close({ slug: 'acme', confirmationToken });
      const token = { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' };
      expect(data).toMatchObject({ closed: false, closedAt: null });
      expect(data.blockers.map(({ message: _message, ...blocker }) => blocker)).toEqual([
        { kind: 'LIVE_CAMPAIGNS', count: 2, amounts: [] },
        // Sales 2 and 5 of 1,000,000 each, and the 8,000 reserved for sale 5.
        { kind: 'OPEN_HOLDS', count: 2, amounts: [{ token, amount: '2008000' }] },
        { kind: 'OPEN_DISPUTES', count: 1, amounts: [] },
        // Levels 2 and 3 of sale 1: its first level was claimed.
        { kind: 'UNCLAIMED_REWARDS', count: 2, amounts: [{ token, amount: '30000' }] },
        { kind: 'UNCLAIMED_PROCEEDS', count: 1, amounts: [{ token, amount: '600000' }] },
      ]);
      expect(data.blockers.every(({ message }) => message.length > 20)).toBe(true);
      expect((await client.merchants.me()).data.closedAt).toBeNull();
      const { data: record } = await client.merchants.record({ slug: 'acme' });
      expect(record.disputed).toBe(3);
    });

    /** A dispute of account 500 over a sale of the small history. */
    async function dispute(id: string, answer: string, sale: number): Promise<void> {
      const refundedBefore = 0;
      await fixture.pool`
        insert into commerce.dispute (id, campaign_id, buyer, order_key, merchant, hold_until,
          reason, requested_amount, refunded_before, answer, decline_reason, opened_at, updated_at)
        values (${id}, ${sale === 5 ? 3 : 1}, ${account(500)}, ${hash(`order ${sale}`)}, ${ACME}, 1,
          'other', 400000, ${refundedBefore}, ${answer},
          ${answer === 'declined' ? 'no' : null}, now(), now())`;
    }

    it('closes when the last money has been withdrawn, and not before', async () => {
      const address = freshAccount();
      const client = await fixture.clientAs(address);
      await client.merchants.setup({ slug: 'last', name: 'Last' });
      const history = laterOn();
      const settleNew = (write: (history: HistoryBuilder) => void) => {
        const from = history.facts.length;
        history.nextBlock();
        write(history);
        return fixture.settle(history.facts.slice(from));
      };
      const kinds = async () => {
        const { client: signer, confirmationToken } = await confirmed(fixture, address);
        const { data } = await signer.merchants.close({ slug: 'last', confirmationToken });
        expect(data.closed).toBe(data.blockers.length === 0);
        return data.blockers.map(({ kind }) => kind);
      };
      await settleNew((one) => {
        one.create('9', { merchant: address });
        one.schedule('9');
        one.fund('9', 1_000_000n);
        one.join('9', '90');
        one.sell('9', '90', { nodeId: '90', pool: 100_000n, shares: [100_000n] });
      });
      expect(await kinds()).toEqual(['LIVE_CAMPAIGNS', 'OPEN_HOLDS']);
      await settleNew((one) => one.add('9', { name: 'CampaignEnded', args: {} }));
      expect(await kinds()).toEqual(['OPEN_HOLDS']);
      await settleNew((one) => {
        const level = { saleId: '90', level: 1, nodeId: '90', amount: 100_000n };
        one.reward('9', 'RewardVested', level);
        one.finalize('9', '90');
      });
      expect(await kinds()).toEqual(['UNCLAIMED_REWARDS', 'UNCLAIMED_PROCEEDS']);
      await settleNew((one) => {
        one.add('9', { name: 'RewardsClaimed', args: { account: account(100), amount: 100_000n } });
      });
      expect(await kinds()).toEqual(['UNCLAIMED_PROCEEDS']);
      await settleNew((one) => {
        one.add('9', { name: 'ProceedsClaimed', args: { account: address, amount: 1_000_000n } });
      });
      expect(await kinds()).toEqual([]);
      expect((await client.merchants.me()).data.status).toBe('closed');
    });

    it('lets a closed merchant read its profile, and write nothing', async () => {
      const { address, client } = await merchant('done');
      const { client: signer, confirmationToken } = await confirmed(fixture, address);
      const closed = await signer.merchants.close({ slug: 'done', confirmationToken });
      expect(closed.data).toEqual({
        closed: true,
        closedAt: new Date(now).toISOString(),
        blockers: [],
      });
      now += 1_000;
      const again = await signer.merchants.close({ slug: 'done', confirmationToken });
      expect(again.data).toEqual(closed.data);
      expect((await client.merchants.me()).data).toMatchObject({
        status: 'closed',
        closedAt: closed.data.closedAt,
      });
      const product = {
        version: 0,
        status: 'draft',
        title: '',
        summary: '',
        category: '',
        fulfillmentMode: 'manual',
      } as const;
      const policy = {
        commissionBps: 1,
        maxRewardedAncestors: 1,
        weightsBps: [10_000],
        holdSeconds: 60,
      };
      const writes = [
        () => client.merchants.update({ name: 'New' }),
        () => client.merchants.uploadLogo({ file: png(1, 1) }),
        () => client.products.save({ id: 'late', product }),
        () => client.studio.saveTemplate({ name: 'Late', policy }),
      ];
      for (const write of writes) {
        await expect(write()).rejects.toMatchObject({ status: 409, message: /was closed at/ });
      }
      await expect(client.merchants.setup({ slug: 'new', name: 'New' })).rejects.toMatchObject({
        status: 409,
      });
      expect((await client.products.list({})).data.items).toEqual([]);
      const { data } = await fixture.client().merchants.get({ slug: 'done' });
      expect(data.status).toBe('closed');
    });

    it('accepts no write of a merchant after closing, even if it is sent concurrently', async () => {
      const { address, client } = await merchant('race');
      const { client: signer, confirmationToken } = await confirmed(fixture, address);
      tick = 1;
      const update = async (index: number) =>
        await client.merchants.update({ description: String(index) }).catch(() => undefined);
      const [closing] = await Promise.all([
        signer.merchants.close({ slug: 'race', confirmationToken }),
        ...Array.from({ length: 8 }, (_, index) => update(index)),
      ]);
      tick = 0;
      expect(closing.data.closed).toBe(true);
      const { updatedAt, closedAt } = (await client.merchants.me()).data;
      expect(updatedAt).toBe(closedAt);
    });
  });

  /** A chronicle that goes on after all that was settled. */
  function laterOn(): HistoryBuilder {
    const history = new HistoryBuilder();
    for (let block = 0; block < 50; block += 1) history.nextBlock(100);
    return history;
  }

  /** A PNG that ends within its header. */
  async function tornPng(): Promise<Blob> {
    return new Blob([(await png(5, 5).arrayBuffer()).slice(0, 18)]);
  }
});

describe('merchants.list', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    const second = await fixture.clientAs(account(1_001));
    await second.merchants.setup({ slug: 'books', name: 'a Bookshop' });
    // It sells nothing.
    const idle = await fixture.clientAs(account(1_002));
    await idle.merchants.setup({ slug: 'idle', name: 'Idle' });
  });
  afterAll(() => fixture.close());

  const names = async (input: { q?: string; live?: boolean } = {}) =>
    (await fixture.client().merchants.list(input)).data.items.map(({ slug }) => slug);

  it('lists merchants with a profile and a listed campaign by name, with their counts', async () => {
    const { data } = await fixture.client().merchants.list();
    const { data: campaigns } = await fixture.client().campaigns.list();
    expect(data.nextCursor).toBeNull();
    expect(data.items.map(({ slug, sales, settledSales }) => [slug, sales, settledSales])).toEqual([
      ['books', 1, 0],
      ['acme', 4, 1],
    ]);
    for (const { slug, address, name, ...counts } of data.items) {
      const own = campaigns.items.filter(({ merchant }) => merchant.address === address);
      expect(own.every(({ merchant }) => merchant.name === name && merchant.slug === slug)).toBe(
        true,
      );
      const { data: profile } = await fixture.client().merchants.get({ slug });
      expect(counts).toMatchObject({
        campaigns: own.length,
        liveCampaigns: profile.liveCampaignCount,
        createdAt: profile.createdAt,
        logo: profile.logo,
      });
    }
  });

  it('returns the same merchants a page at a time', async () => {
    const client = fixture.client();
    const slugs = [];
    for await (const { slug } of client.pages(client.merchants.list, { limit: 1 }))
      slugs.push(slug);
    expect(slugs).toEqual(await names());
    const { data } = await client.merchants.list({ limit: 1 });
    await expect(
      client.merchants.list({ q: 'acme', cursor: data.nextCursor ?? '' }),
    ).rejects.toMatchObject({ status: 400, issues: [{ path: 'cursor' }] });
  });

  it('filters by the words of the name, and by whether a campaign takes sales', async () => {
    expect(await names({ q: 'coff acme' })).toEqual(['acme']);
    expect(await names({ q: 'nothing' })).toEqual([]);
    expect(await names({ q: '!' })).toEqual([]);
    const live = await names({ live: true });
    const others = await names({ live: false });
    expect([...live, ...others].sort()).toEqual(['acme', 'books']);
    const { data } = await fixture.client().campaigns.list({ status: 'active' });
    const selling = data.items.map(({ merchant }) => merchant.slug);
    expect(live).toEqual(['books', 'acme'].filter((slug) => selling.includes(slug)));
  });

  it('leaves out a merchant whose campaigns are all hidden, and one that closed', async () => {
    await moderate(fixture.pool, 'hide', '2');
    expect(await names()).toEqual(['acme']);
    await moderate(fixture.pool, 'unhide', '2');
    await fixture.pool`update commerce.merchant set closed_at = now() where slug = 'books'`;
    expect(await names()).toEqual(['acme']);
    await fixture.pool`update commerce.merchant set closed_at = null where slug = 'books'`;
  });
});
