import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { optionalResources } from '../../engine/contract/registry.ts';
import { checkAuditLogs } from '../../engine/db/commerce/audit-log.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { keyOf } from './support/api-keys.ts';
import { smallHistory } from './support/small-history.ts';

const enabled = new Set(optionalResources);
const START = Date.UTC(2026, 0, 2);
const policy = {
  ...{ commissionBps: 500, maxRewardedAncestors: 1, weightsBps: [10_000], holdSeconds: 60 },
};

type Entry = Awaited<ReturnType<Client['team']['audit']>>['data']['items'][number];

describe('the audit log', () => {
  let fixture: ApiFixture;
  let now = START;
  let accounts = 7_000;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled, clock: () => now });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  async function merchant(): Promise<{ address: `0x${string}`; client: Client }> {
    accounts += 1;
    const address = account(accounts);
    const client = await fixture.clientAs(address);
    await client.merchants.setup({ slug: `a-${accounts}`, name: `Audited ${accounts}` });
    return { address, client };
  }

  async function entriesOf(client: Client): Promise<Entry[]> {
    const all: Entry[] = [];
    for await (const entry of client.pages(client.team.audit, { limit: 3 })) all.push(entry);
    return all.reverse();
  }

  it('records who changed what, by which method, with hashes of what was stored', async () => {
    const { address, client } = await merchant();
    now += 1_000;
    const { id } = (await client.studio.saveTemplate({ name: 'First', policy })).data;
    await client.studio.saveTemplate({ id, name: 'Second', policy });
    const entries = await entriesOf(client);
    expect(entries.map(({ action, resource }) => [action, resource.split(':')[0]])).toEqual([
      ['merchants.setup', 'merchant'],
      ['studio.saveTemplate', 'policyTemplate'],
      ['studio.saveTemplate', 'policyTemplate'],
    ]);
    const [setup, first, second] = entries;
    expect(setup).toMatchObject({ actor: address, role: 'owner', beforeHash: null });
    expect(first).toMatchObject({
      resource: `policyTemplate:${id}`,
      beforeHash: null,
      at: new Date(now).toISOString(),
    });
    expect(second?.beforeHash).toBe(first?.afterHash);
    expect(second?.afterHash).not.toBe(second?.beforeHash);
  });

  it('records nothing of a write that fails or changes nothing, nor of a read', async () => {
    const { client } = await merchant();
    const before = await entriesOf(client);
    await client.merchants.me();
    await client.merchants.update({ name: `Audited ${accounts}` });
    await expect(client.merchants.update({ slug: 'admin' })).rejects.toThrow();
    expect(await entriesOf(client)).toEqual(before);
  });

  it('names the key that was used, and stays within one merchant', async () => {
    const { address, client } = await merchant();
    const other = await merchant();
    const key = await keyOf(fixture, address);
    const keyed = fixture.client({}, undefined, { apiKey: key });
    await keyed.merchants.update({ description: 'Changed by a program.' });
    const last = (await entriesOf(client)).at(-1);
    expect(last?.actor).toBe(`${address} key:${key.split('_')[2]}`);
    expect((await entriesOf(other.client)).every(({ actor }) => actor === other.address)).toBe(
      true,
    );
  });

  it('makes a chain: each id is the hash of the entry and of the one before it', async () => {
    const { address, client } = await merchant();
    for (const name of ['One', 'Two', 'Three']) await client.studio.saveTemplate({ name, policy });
    let before: string | null = null;
    for (const [index, entry] of (await entriesOf(client)).entries()) {
      const { actor, role, resource, action, beforeHash, afterHash } = entry;
      const fields = [
        ...[before, address, index + 1, Date.parse(entry.at), actor, role],
        ...[resource, action, beforeHash, afterHash],
      ];
      const text = `[${fields.map((field) => JSON.stringify(field)).join(', ')}]`;
      expect(entry.id).toBe(createHash('sha256').update(text).digest('base64url'));
      before = entry.id;
    }
    expect(await checkAuditLogs(fixture.pool)).toEqual([]);
  });

  it('keeps its order however many members write concurrently', async () => {
    const { client } = await merchant();
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        client.studio.saveTemplate({ name: `Concurrent ${i}`, policy }),
      ),
    );
    expect(await entriesOf(client)).toHaveLength(13);
    expect(await checkAuditLogs(fixture.pool)).toEqual([]);
  });

  it('finds an entry that was removed, changed, or added', async () => {
    const { pool } = fixture;
    const { address, client } = await merchant();
    for (const name of ['One', 'Two', 'Three']) await client.studio.saveTemplate({ name, policy });
    const tampering = {
      'a missing one': (sql: typeof pool) =>
        sql`delete from commerce.audit_entry where merchant = ${address} and number = 2`,
      'a missing newest one': (sql: typeof pool) =>
        sql`delete from commerce.audit_entry where merchant = ${address} and number = 4`,
      'a missing first one': (sql: typeof pool) =>
        sql`delete from commerce.audit_entry where merchant = ${address} and number = 1`,
      'another actor': (sql: typeof pool) =>
        sql`update commerce.audit_entry set actor = ${account(1)} where merchant = ${address} and number = 3`,
      'an added one': (sql: typeof pool) => sql`
        insert into commerce.audit_entry
        select merchant, 5, 'x', at_ms, actor, role, resource, action, before_hash, after_hash
        from commerce.audit_entry where merchant = ${address} and number = 1`,
    };
    for (const [what, tamper] of Object.entries(tampering)) {
      const undone = new Error('undone');
      const found = await pool
        .begin(async (sql) => {
          await tamper(sql as unknown as typeof pool);
          throw Object.assign(undone, { breaks: await checkAuditLogs(sql) });
        })
        .catch((error: unknown) => (error === undone ? Reflect.get(undone, 'breaks') : error));
      expect(found, what).toMatchObject([{ merchant: address }]);
    }
    expect(await checkAuditLogs(pool)).toEqual([]);
  });

  it('finds a removed end, but not if the head was rewritten with it: only a stored id shows that', async () => {
    const { pool } = fixture;
    const { address, client } = await merchant();
    for (const name of ['One', 'Two']) await client.studio.saveTemplate({ name, policy });
    const before = await entriesOf(client);
    const [previous, newest] = before.slice(-2);
    await pool`delete from commerce.audit_entry where id = ${newest?.id ?? ''}`;
    expect(await checkAuditLogs(pool)).toEqual([
      {
        merchant: address,
        number: before.length,
        reason: 'the newest entry is missing or another',
      },
    ]);
    await pool`
      update commerce.audit_head set number = ${before.length - 1}, id = ${previous?.id ?? ''}
      where merchant = ${address}`;
    expect(await checkAuditLogs(pool)).toEqual([]);
    const ids = (await entriesOf(client)).map(({ id }) => id);
    expect(ids).toEqual(before.slice(0, -1).map(({ id }) => id));
    expect(ids).not.toContain(newest?.id);
  });

  it('finds no entry that was changed if all ids after it were computed again, but the stored one is gone', async () => {
    const { pool } = fixture;
    const { address, client } = await merchant();
    for (const name of ['One', 'Two']) await client.studio.saveTemplate({ name, policy });
    const before = await entriesOf(client);
    await pool`
      update commerce.audit_entry set actor = ${account(1)} where merchant = ${address} and number = 2`;
    expect(await checkAuditLogs(pool)).toHaveLength(1);
    for (const number of [2, 3]) {
      await pool`
        update commerce.audit_entry entry set id = commerce.audit_id(last.id, entry.merchant, entry.number,
          entry.at_ms, entry.actor, entry.role, entry.resource, entry.action, entry.before_hash, entry.after_hash)
        from commerce.audit_entry last
        where entry.merchant = ${address} and entry.number = ${number}
          and last.merchant = ${address} and last.number = ${number - 1}`;
    }
    await pool`
      update commerce.audit_head head set id = entry.id from commerce.audit_entry entry
      where head.merchant = ${address} and entry.merchant = ${address} and entry.number = 3`;
    expect(await checkAuditLogs(pool)).toEqual([]);
    const ids = (await entriesOf(client)).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(ids).not.toContain(before.at(-1)?.id);
  });
});
