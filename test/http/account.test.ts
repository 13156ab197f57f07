import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { optionalResources } from '../../engine/contract/registry.ts';
import { commerce, personalTables } from '../../engine/db/tables/commerce.ts';
import { removeDeletedFiles } from '../../engine/jobs/deleted-files.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { keyOf } from './support/api-keys.ts';
import { confirmed } from './support/confirmed.ts';
import { fillAccount } from './support/fill-account.ts';
import { otherRowsTable, personalRowsTable, retentionTable } from './support/privacy-tables.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

describe('what is stored about an account', () => {
  let fixture: ApiFixture;
  let people = 5_000;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled: new Set(optionalResources) });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  const someone = () => {
    people += 1;
    return account(people);
  };

  /** Every row of an export of an account. */
  async function exportOf(address: `0x${string}`, limit = 100) {
    const client = await fixture.clientAs(address);
    const items = [];
    for await (const item of client.pages(client.account.export, { limit })) items.push(item);
    return items;
  }

  /** Tables of the schema with a row that contains a text. */
  async function tablesWith(text: string): Promise<string[]> {
    const found = [];
    for (const table of Object.keys(commerce)) {
      const [row] = await fixture.pool`
        select 1 from ${fixture.pool(`commerce.${table}`)} stored
        where to_jsonb(stored)::text like ${`%${text}%`} limit 1`;
      if (row !== undefined) found.push(table);
    }
    return found.sort();
  }

  it('says why rows stay after a deletion', () => {
    const silent = personalTables.filter(
      ([, { onDeletion, why }]) => onDeletion !== 'deleted' && why === undefined,
    );
    expect(silent).toEqual([]);
  });

  it.each([
    ['rows of accounts', personalRowsTable()],
    ['other rows', otherRowsTable()],
    ['what is deleted by age', retentionTable()],
  ])('equals the table of docs/reference/privacy.md: %s', (_what, table) => {
    const text = readFileSync(new URL('../../docs/reference/privacy.md', import.meta.url), 'utf8');
    expect(text.includes(table), `docs/reference/privacy.md needs:\n${table}`).toBe(true);
  });

  describe('account.export', () => {
    it('returns the rows of every table, page by page, without secrets', async () => {
      const address = someone();
      await fillAccount(fixture, address, 'exported');
      const items = await exportOf(address, 3);
      const tables = new Set(items.map(({ table }) => table));
      expect([...tables].sort()).toEqual(personalTables.map(([name]) => name).sort());
      // The second export has a session more, and other links.
      const records = (rows: typeof items) =>
        rows.flatMap(({ table, record }) => (table === 'session' ? [] : [{ table, record }]));
      expect(records(items)).toEqual(records(await exportOf(address)));
      expect(new Set(items.map((item) => JSON.stringify([item.table, item.record]))).size).toBe(
        items.length,
      );
      for (const { table, record } of items) {
        const [, { secret = '', omitted = '' } = { secret: 'unknown' }] =
          personalTables.find(([name]) => name === table) ?? [];
        const hidden = `${secret} ${omitted}`.split(' ');
        expect(Object.keys(record).filter((column) => hidden.includes(column))).toEqual([]);
      }
      expect(JSON.stringify(items)).toContain('exported');
    });

    it('returns amounts as text, with all their digits', async () => {
      const address = someone();
      await fillAccount(fixture, address, 'digits');
      const items = await exportOf(address);
      const intent = items.find(({ table }) => table === 'checkout_intent');
      expect(intent?.record).toMatchObject({ amount: '123456789012345678901234567890' });
      const version = items.find(({ table }) => table === 'product_version');
      expect(version?.record).toMatchObject({ body: { price: '5' } });
    });

    it('links to files that were uploaded, for their merchant alone', async () => {
      const address = someone();
      await fillAccount(fixture, address, 'linked');
      const files = (await exportOf(address)).filter(({ table }) => table === 'asset');
      const download = files.find(({ record }) => record.kind === 'download');
      const path = new URL(download?.url ?? '').pathname;
      const response = await fixture.app().request(path);
      expect([response.status, await response.text()]).toEqual([200, 'download of linked']);
      await fixture.pool`update commerce.merchant set address = ${someone()} where address = ${address}`;
      expect((await fixture.app().request(path)).status).toBe(404);
    });

    it('returns nothing of another account', async () => {
      const [address, other] = [someone(), someone()];
      await fillAccount(fixture, other, 'foreign');
      const items = await exportOf(address);
      expect(items.map(({ table }) => table)).toEqual(['session']);
      await fillAccount(fixture, address, 'owned');
      expect(JSON.stringify(await exportOf(address))).not.toContain('foreign');
    });

    it('returns nothing of a merchant whose team another account owns', async () => {
      const [address, owner] = [someone(), someone()];
      await fillAccount(fixture, address, 'given-away');
      await fixture.pool`
        update commerce.team_member set role = 'admin' where merchant = ${address} and account = ${address}`;
      await fixture.pool`
        insert into commerce.team_member (id, merchant, account, role, status, invited_at, joined_at)
        values (${owner}, ${address}, ${owner}, 'owner', 'active', now(), now())`;
      for (const who of [address, owner]) {
        const tables = new Set((await exportOf(who)).map(({ table }) => table));
        for (const table of ['merchant', 'product', 'campaign_draft', 'policy_template', 'asset']) {
          expect([who, table, tables.has(table as never)]).toEqual([who, table, false]);
        }
      }
    });

    it('refuses a cursor of another account and an API key', async () => {
      const [address, other] = [someone(), someone()];
      await fillAccount(fixture, address, 'cursors');
      const { data } = await (await fixture.clientAs(address)).account.export({ limit: 1 });
      const theirs = await fixture.clientAs(other);
      const cursor = data.nextCursor ?? '';
      await expect(theirs.account.export({ cursor })).rejects.toMatchObject({ status: 400 });
      const authorization = `Bearer ${await keyOf(fixture, address)}`;
      for (const [path, method] of [
        ['/v1/me/account/export', 'GET'],
        ['/v1/me/account/delete', 'POST'],
      ]) {
        const init = { ...(method && { method }), headers: { authorization } };
        expect((await fixture.app().request(path ?? '', init)).status).toBe(403);
      }
    });
  });

  describe('account.delete', () => {
    it('needs a fresh signature', async () => {
      const client = await fixture.clientAs(someone());
      const unsigned = client.account.delete({ confirmationToken: 'a'.repeat(43) });
      await expect(unsigned).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    });

    it('deletes every text that the account entered, and nothing of another account', async () => {
      const [address, other] = [someone(), someone()];
      await fillAccount(fixture, other, 'neighbour');
      const before = await exportOf(other);
      await fillAccount(fixture, address, 'vanishing');
      const { client, confirmationToken } = await confirmed(fixture, address);
      const { data } = await client.account.delete({ confirmationToken });
      expect(data).toMatchObject({ deleted: true, blockers: [] });
      expect(data.remains.join(' ')).toContain('chain');
      // What was published stays for its buyers; names stay reserved; operators' decisions stay.
      expect(await tablesWith('vanishing')).toEqual([
        ...['alarm_decision', 'asset', 'audit_entry', 'deleted_file'],
        ...['dispute', 'dispute_message', 'invoice', 'mail_confirmation', 'moderation_log'],
        ...['product', 'product_version', 'released_name', 'report', 'service_event'],
      ]);
      expect(await exportOf(other)).toHaveLength(before.length + 1);
    });

    it('ends sessions and keys, and hides the profile from public reads', async () => {
      const address = someone();
      await fillAccount(fixture, address, 'hidden');
      const { reading } = await signedIn(fixture.deps, address);
      const authorization = `Bearer ${await keyOf(fixture, address)}`;
      const public_ = fixture.client();
      expect((await public_.merchants.get({ slug: 'hidden' })).data.name).toBe('Merchant hidden');
      expect((await public_.search.find({ q: 'hidden' })).data.items).not.toEqual([]);
      const { client, confirmationToken } = await confirmed(fixture, address);
      await client.account.delete({ confirmationToken });
      const app = fixture.app();
      for (const headers of [reading, { authorization }]) {
        expect((await app.request('/v1/me/earnings', { headers })).status).toBe(401);
      }
      await expect(public_.merchants.get({ slug: 'hidden' })).rejects.toMatchObject({
        status: 404,
      });
      const after = (await public_.merchants.get({ slug: address })).data;
      expect(after).toMatchObject({ name: 'Deleted merchant', description: '', websiteUrl: null });
      expect(JSON.stringify((await public_.search.find({ q: 'hidden' })).data)).not.toContain(
        'hidden',
      );
    });

    it('deletes again what is deleted already', async () => {
      const address = someone();
      await fillAccount(fixture, address, 'twice');
      for (let time = 0; time < 2; time += 1) {
        const { client, confirmationToken } = await confirmed(fixture, address);
        const { data } = await client.account.delete({ confirmationToken });
        expect(data.deleted).toBe(true);
      }
      const { data } = await fixture.client().merchants.get({ slug: address });
      expect(data.slug).toMatch(/^deleted-[0-9a-f]{32}$/);
    });

    it('removes the profile of a merchant that never published anything', async () => {
      const address = someone();
      const { client, confirmationToken } = await confirmed(fixture, address);
      await client.merchants.setup({ slug: 'empty', name: 'Empty' });
      await client.account.delete({ confirmationToken });
      await expect(fixture.client().merchants.get({ slug: address })).rejects.toMatchObject({
        status: 404,
      });
      const another = await fixture.clientAs(someone());
      const taken = another.merchants.setup({ slug: 'empty', name: 'Other' });
      await expect(taken).rejects.toMatchObject({ status: 409 });
    });

    it('queues the files of what was not published, and a worker removes them', async () => {
      const address = someone();
      await fillAccount(fixture, address, 'filed');
      const { client, confirmationToken } = await confirmed(fixture, address);
      await client.account.delete({ confirmationToken });
      const { files } = fixture.deps;
      expect(await files.exists('media/filed-logo')).toBe(true);
      const { pool, clock, logger: log } = fixture.deps;
      const queue = { pushReport: async () => {}, pushChore: async () => {} };
      await removeDeletedFiles({ pool, files, clock, log, queue });
      expect(await files.exists('media/filed-logo')).toBe(false);
      expect(await files.exists('media/filed-download')).toBe(true);
      expect(await tablesWith('filed-logo')).toEqual([]);
    });

    it('changes nothing while a merchant has live campaigns', async () => {
      const merchant = account(1_000);
      const { client, confirmationToken } = await confirmed(fixture, merchant);
      const { data } = await client.account.delete({ confirmationToken });
      expect(data).toMatchObject({ deleted: false, deletedAt: null });
      expect(data.blockers.map(({ kind }) => kind)).toEqual(['LIVE_CAMPAIGNS', 'OPEN_HOLDS']);
      expect((await client.auth.session()).data.address).toBe(merchant);
    });

    it('changes nothing while others belong to its team', async () => {
      const [address, member] = [someone(), someone()];
      await fillAccount(fixture, address, 'teamed');
      await fixture.pool`
        insert into commerce.team_member (id, merchant, account, role, status, invited_at)
        values (${member}, ${address}, ${member}, 'viewer', 'invited', now())`;
      const { client, confirmationToken } = await confirmed(fixture, address);
      const { data } = await client.account.delete({ confirmationToken });
      expect(data.blockers.map(({ kind, count }) => [kind, count])).toEqual([['TEAM_MEMBERS', 1]]);
      expect(await tablesWith('teamed')).toContain('campaign_draft');
    });

    it('changes nothing while a refund request of a buyer is open', async () => {
      const buyer = someone();
      await fixture.pool`update ledger.sale set buyer = ${buyer} where sale_id = 2`;
      await fixture.pool`
        insert into commerce.dispute (id, campaign_id, buyer, order_key, merchant, hold_until, reason,
          requested_amount, refunded_before, opened_at, updated_at)
        select 'waiting', campaign_id, ${buyer}, '0x' || encode(order_key, 'hex'), ${account(1_000)}, 0, 'other', 1, 0, now(), now()
        from ledger.sale where sale_id = 2`;
      const { client, confirmationToken } = await confirmed(fixture, buyer);
      const { data } = await client.account.delete({ confirmationToken });
      expect(data.blockers.map(({ kind }) => kind)).toEqual(['OPEN_REFUND_REQUESTS']);
    });

    it('keeps the limit on mails to a mailbox', async () => {
      const mailbox = 'victim@example.com';
      for (let time = 0; time < 5; time += 1) {
        const { client, confirmationToken } = await confirmed(fixture, someone());
        await client.notifications.setPreferences({ email: mailbox, confirmationToken });
        await fixture.pool`
          update commerce.mail set status = 'sent', attempt = 1, next_attempt_at = null
          where address = ${mailbox} and status = 'queued'`;
        await client.account.delete({ confirmationToken });
      }
      const sent = await fixture.pool`
        select mail.account from commerce.mail_confirmation asked
        join commerce.mail on mail.id = asked.mail_id where asked.mailbox = ${mailbox}`;
      expect(sent).toHaveLength(5);
      const client = await fixture.signingClientAs(someone());
      await client.notifications.setPreferences({ email: mailbox });
      const queued = await fixture.pool`
        select 1 from commerce.mail where address = ${mailbox} and status = 'queued'`;
      expect(queued).toHaveLength(0);
    });
  });
});
