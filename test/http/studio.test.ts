import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { PolicyTemplateInput } from '../../engine/contract/shapes/policy-input.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';

const policy = {
  commissionBps: 1_234,
  perSaleCap: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  maxRewardedAncestors: 2,
  weightsBps: [7_000, 3_000],
  shortPathMode: 'RETURN_UNUSED',
  holdSeconds: 86_400,
  regions: ['EU', 'ÅÄÖ'],
  sharingRules: ['No spam'],
} as const;

describe('policy templates', () => {
  let fixture: ApiFixture;
  let accounts = 4_000;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => Date.UTC(2026, 0, 2) });
  });
  afterAll(() => fixture.close());

  async function merchant() {
    accounts += 1;
    const client = await fixture.clientAs(account(accounts));
    await client.merchants.setup({ slug: `m-${accounts}`, name: `M ${accounts}` });
    return client;
  }
  const mutable = { ...policy, weightsBps: [...policy.weightsBps] };
  const terms = { ...mutable, regions: [...policy.regions], sharingRules: ['No spam'] };

  it('lists built-in policy templates first, which saveTemplate accepts', async () => {
    const client = await fixture.clientAs(account(4_000));
    const { items, nextCursor } = (await client.studio.templates({})).data;
    expect(items.length).toBeGreaterThanOrEqual(3);
    expect(nextCursor).toBeNull();
    for (const template of items) {
      expect(template).toMatchObject({ builtIn: true, updatedAt: null });
      PolicyTemplateInput.parse({ name: template.name, policy: template.policy });
    }
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  });

  it('stores a merchant’s own policy templates exactly, and only for that merchant', async () => {
    const client = await merchant();
    const { data } = await client.studio.saveTemplate({ name: 'Mine', policy: terms });
    expect(data).toEqual({
      id: data.id,
      name: 'Mine',
      builtIn: false,
      policy: terms,
      updatedAt: '2026-01-02T00:00:00.000Z',
    });
    expect((await client.studio.templates({})).data.items.at(-1)).toEqual(data);
    const other = await merchant();
    expect((await other.studio.templates({})).data.items.every(({ builtIn }) => builtIn)).toBe(
      true,
    );
    const steal = other.studio.saveTemplate({ id: data.id, name: 'Theirs', policy: terms });
    await expect(steal).rejects.toMatchObject({ status: 404 });
    expect((await client.studio.templates({})).data.items.at(-1)?.name).toBe('Mine');
  });

  it('replaces a policy template by its id, and never a built-in one', async () => {
    const client = await merchant();
    const { id } = (await client.studio.saveTemplate({ name: 'First', policy: terms })).data;
    const next = { ...terms, commissionBps: 1 };
    await client.studio.saveTemplate({ id, name: 'Second', policy: next });
    const { items } = (await client.studio.templates({})).data;
    const own = items.filter(({ builtIn }) => !builtIn);
    expect(own).toMatchObject([{ id, name: 'Second', policy: { commissionBps: 1 } }]);
    const builtIn = items.find((one) => one.builtIn)?.id ?? '';
    const replace = client.studio.saveTemplate({ id: builtIn, name: 'X', policy: terms });
    await expect(replace).rejects.toMatchObject({ status: 422 });
  });

  it('changes nothing if a policy template is saved with the same content', async () => {
    const client = await merchant();
    const { data } = await client.studio.saveTemplate({ name: 'Same', policy: terms });
    const { id } = data;
    await fixture.pool`
      update commerce.policy_template set updated_at = '2025-12-31T00:00:00Z' where id = ${id}`;
    const before = { ...data, updatedAt: '2025-12-31T00:00:00.000Z' };
    expect((await client.studio.saveTemplate({ id, name: 'Same', policy: terms })).data).toEqual(
      before,
    );
    const { items } = (await client.studio.templates({})).data;
    expect(items.find((one) => one.id === id)).toEqual(before);
    const other = { ...terms, holdSeconds: terms.holdSeconds + 1 };
    for (const change of [{ name: 'Other' }, { policy: other }]) {
      const changed = { id, name: 'Same', policy: terms, ...change };
      expect((await client.studio.saveTemplate(changed)).data.updatedAt).toBe(data.updatedAt);
      await fixture.pool`
        update commerce.policy_template set updated_at = '2025-12-31T00:00:00Z' where id = ${id}`;
    }
  });

  it('lists built-in policy templates for everybody, and any other for its merchant alone', async () => {
    const client = await merchant();
    const { data: own } = await client.studio.saveTemplate({ name: 'Mine', policy: terms });
    const listed = async (as: Client) => (await as.studio.templates({})).data.items;
    const builtIn = (await listed(client)).filter((one) => one.builtIn);
    expect(builtIn.length).toBeGreaterThan(0);
    expect(await listed(client)).toEqual([...builtIn, own]);
    for (const stranger of [await merchant(), await fixture.clientAs(account(4_998))]) {
      expect(await listed(stranger)).toEqual(builtIn);
    }
  });

  it('deletes a merchant’s own policy template, and none of another’s or of the service', async () => {
    const client = await merchant();
    const { id } = (await client.studio.saveTemplate({ name: 'Mine', policy: terms })).data;
    const stays = (await client.studio.saveTemplate({ name: 'Stays', policy: terms })).data;
    const other = await merchant();
    await expect(other.studio.deleteTemplate({ id })).rejects.toMatchObject({ status: 404 });
    expect((await client.studio.deleteTemplate({ id })).data).toEqual({ ok: true });
    const { items } = (await client.studio.templates({})).data;
    expect(items.filter(({ builtIn }) => !builtIn)).toEqual([stays]);
    await expect(client.studio.deleteTemplate({ id })).rejects.toMatchObject({ status: 404 });
    const builtIn = items.find((one) => one.builtIn)?.id ?? '';
    await expect(client.studio.deleteTemplate({ id: builtIn })).rejects.toMatchObject({
      status: 422,
    });
    const replace = client.studio.saveTemplate({ id, name: 'Again', policy: terms });
    await expect(replace).rejects.toMatchObject({ status: 404 });
  });

  it('limits a merchant to 100 policy templates, however many are saved concurrently, and pages through them', async () => {
    const client = await merchant();
    const names = Array.from({ length: 98 }, (_, index) => `Template ${index % 7}`);
    for (const name of names) await client.studio.saveTemplate({ name, policy: terms });
    const more = await Promise.allSettled(
      Array.from({ length: 6 }, () => client.studio.saveTemplate({ name: 'More', policy: terms })),
    );
    expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const one of more) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 422 });
    }
    const all = (await client.studio.templates({ limit: 100 })).data;
    const rest = await client.studio.templates({ limit: 100, cursor: all.nextCursor ?? '' });
    const ids = [...all.items, ...rest.data.items].map(({ id }) => id);
    const paged: string[] = [];
    for await (const one of client.pages(client.studio.templates, { limit: 7 })) paged.push(one.id);
    expect(paged).toEqual(ids);
    expect(new Set(paged).size).toBe(paged.length);
    expect(paged.length).toBe(100 + rest.data.items.length);
    const own = [...all.items, ...rest.data.items].filter(({ builtIn }) => !builtIn);
    expect(own).toHaveLength(100);
    const sorted = own.map(({ name }) => name);
    expect(sorted).toEqual([...sorted].sort());
  });

  it('refuses policy templates whose weights do not add up, and accounts without a profile', async () => {
    const client = await merchant();
    const wrong = { ...terms, weightsBps: [5_000, 4_000] };
    await expect(client.studio.saveTemplate({ name: 'X', policy: wrong })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'policy.weightsBps' }],
    });
    const outsider = await fixture.clientAs(account(4_999));
    await expect(outsider.studio.saveTemplate({ name: 'X', policy: terms })).rejects.toMatchObject({
      status: 404,
    });
  });
});
