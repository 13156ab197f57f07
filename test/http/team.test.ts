import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { methods, optionalResources } from '../../engine/contract/registry.ts';
import { isAtLeast, type Role, roles } from '../../engine/contract/roles.ts';
import { neededRole } from '../../engine/contract/scopes.ts';
import { inviteMember } from '../../engine/db/commerce/team.ts';
import { newId } from '../../engine/http/auth/token.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { confirmed } from './support/confirmed.ts';
import { leastParts, requestOf } from './support/requests.ts';
import { rolesTable } from './support/roles-table.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

const enabled = new Set(optionalResources);

describe('a team', () => {
  let fixture: ApiFixture;
  let accounts = 5_000;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  function next(): `0x${string}` {
    accounts += 1;
    return account(accounts);
  }

  /** A merchant with a profile, and a client of its own account. */
  async function merchant(): Promise<{ address: `0x${string}`; client: Client }> {
    const address = next();
    const client = await fixture.signingClientAs(address);
    await client.merchants.setup({ slug: `t-${accounts}`, name: `Team ${accounts}` });
    return { address, client };
  }

  /** A client of an account that acts for a merchant. */
  async function actingFor(address: `0x${string}`, who: `0x${string}`): Promise<Client> {
    return await fixture.signingClientAs(who, {}, { merchant: address });
  }

  /** A member, who has accepted its invitation. */
  async function member(of: `0x${string}`, role: Exclude<Role, 'owner'>): Promise<`0x${string}`> {
    const who = next();
    const now = new Date(fixture.deps.clock());
    const { id } = await inviteMember(
      fixture.pool,
      { id: newId(), merchant: of, account: who, role },
      now,
    );
    await fixture.pool`
      update commerce.team_member set status = 'active', joined_at = now() where id = ${id}`;
    return who;
  }

  it('consists of the merchant’s own account until somebody is invited', async () => {
    const { address, client } = await merchant();
    expect((await client.team.members()).data).toMatchObject([
      { address, role: 'owner', status: 'active' },
    ]);
    const invited = next();
    await client.team.invite({ address: invited, role: 'viewer' });
    const { data } = await client.team.members();
    expect(data.map(({ address, role, status }) => [address, role, status])).toEqual([
      [address, 'owner', 'active'],
      [invited, 'viewer', 'invited'],
    ]);
  });

  it('gives an invited account no rights before it has signed in', async () => {
    const { address, client } = await merchant();
    const invited = next();
    await client.team.invite({ address: invited, role: 'admin' });
    const acting = await actingFor(address, invited);
    await expect(acting.merchants.me()).rejects.toMatchObject({ status: 403 });
    await expect(acting.team.mine()).resolves.toMatchObject({ data: [] });
  });

  it('lets a member act for the merchant that it names, and for itself without a name', async () => {
    const { address } = await merchant();
    const who = await member(address, 'viewer');
    const acting = await actingFor(address, who);
    expect((await acting.merchants.me()).data.slug).toMatch(/^t-/);
    expect((await acting.team.mine()).data).toMatchObject([{ merchant: address, role: 'viewer' }]);
    const own = await fixture.clientAs(who);
    await expect(own.merchants.me()).rejects.toMatchObject({ status: 404 });
    const other = await merchant();
    const foreign = await actingFor(other.address, who);
    await expect(foreign.merchants.me()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('lets only the owner give and take away the role admin, and an admin the lower ones', async () => {
    const { address, client } = await merchant();
    const admin = await actingFor(address, await member(address, 'admin'));
    await expect(admin.team.invite({ address: next(), role: 'admin' })).rejects.toMatchObject({
      status: 403,
    });
    const { data: invited } = await admin.team.invite({ address: next(), role: 'viewer' });
    await expect(admin.team.updateRole({ id: invited.id, role: 'admin' })).rejects.toMatchObject({
      status: 403,
    });
    const raised = await client.team.updateRole({ id: invited.id, role: 'admin' });
    expect(raised.data).toMatchObject({ id: invited.id, role: 'admin', status: 'invited' });
    await expect(admin.team.remove({ id: invited.id })).rejects.toMatchObject({ status: 403 });
    const owner = (await client.team.members()).data[0]?.id ?? '';
    for (const one of [admin, client]) {
      await expect(one.team.remove({ id: owner })).rejects.toMatchObject({ status: 403 });
      await expect(one.team.updateRole({ id: owner, role: 'viewer' })).rejects.toMatchObject({
        status: 403,
      });
    }
  });

  it('lets every member leave, refuses what it asks for afterwards, and takes it back', async () => {
    const { address, client } = await merchant();
    const who = await member(address, 'viewer');
    const acting = await actingFor(address, who);
    const other = await member(address, 'analyst');
    const { data } = await client.team.members();
    const idOf = (one: string) => data.find(({ address }) => address === one)?.id ?? '';
    await expect(acting.team.remove({ id: idOf(other) })).rejects.toMatchObject({ status: 403 });
    await acting.team.remove({ id: idOf(who) });
    await expect(acting.merchants.me()).rejects.toMatchObject({ status: 403 });
    const again = (await client.team.invite({ address: who, role: 'analyst' })).data;
    expect(again).toMatchObject({ id: idOf(who), role: 'analyst', status: 'invited' });
    const invite = client.team.invite({ address: who, role: 'analyst' });
    await expect(invite).rejects.toMatchObject({ status: 409 });
  });

  it('transfers its ownership with a fresh signature, and to an active member only', async () => {
    const { address } = await merchant();
    const who = await member(address, 'viewer');
    const { client, confirmationToken } = await confirmed(fixture, address);
    // The first change writes the owner down.
    await client.team.invite({ address: next(), role: 'viewer', confirmationToken });
    const unsigned = client.team.transferOwnership({
      address: who,
      confirmationToken: 'x'.repeat(43),
    });
    await expect(unsigned).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    const stranger = client.team.transferOwnership({ address: next(), confirmationToken });
    await expect(stranger).rejects.toMatchObject({ status: 422 });
    await client.team.transferOwnership({ address: who, confirmationToken });
    const { data } = await client.team.members();
    expect(data[0]).toMatchObject({ address: who, role: 'owner' });
    const former = data.find((one) => one.address === address);
    expect(former?.role).toBe('admin');
    const owner = await actingFor(address, who);
    await owner.team.remove({ id: former?.id ?? '' });
    await expect(client.merchants.me()).rejects.toMatchObject({ status: 403 });
  });

  it('stays off unless the deployment enables it', async () => {
    const { address } = await merchant();
    const who = await member(address, 'admin');
    const { csrfToken, reading } = await signedIn(fixture.deps, who);
    const session = { csrfToken, cookie: reading.cookie };
    const client = fixture.client({ enabled: new Set() }, session, { merchant: address });
    await expect(client.team.members()).rejects.toMatchObject({ status: 501 });
    await expect(client.merchants.me()).rejects.toMatchObject({ status: 403 });
  });

  const forMerchants = methods.filter(
    (method) => method.availability !== 'designed' && neededRole(method) !== undefined,
  );

  it('equals the table of docs/use/teams.md', () => {
    const text = readFileSync(new URL('../../docs/use/teams.md', import.meta.url), 'utf8');
    expect(text.includes(rolesTable()), `docs/use/teams.md needs:\n${rolesTable()}`).toBe(true);
  });

  it.each(forMerchants.map((method) => [method.name, method] as const))(
    '%s may be called by the roles of the table, and by no other',
    async (_name, method) => {
      const { address } = await merchant();
      const app = fixture.app();
      for (const role of roles) {
        const who = role === 'owner' ? address : await member(address, role);
        const session = await signedIn(fixture.deps, who);
        const credentials = method.method === 'GET' ? session.reading : session.writing;
        const { path, init } = requestOf(method, leastParts(method), {
          ...credentials,
          'x-merchant': address,
        });
        const response = await app.request(path, init);
        const text = await response.text();
        const refusal = `${method.name} needs the role`;
        const isAllowed = isAtLeast(role, neededRole(method) ?? 'viewer');
        expect([role, text.includes(refusal)], text).toEqual([role, !isAllowed]);
        if (!isAllowed) expect(response.status).toBe(403);
      }
    },
  );
});
