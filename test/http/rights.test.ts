import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methods, optionalResources } from '../../engine/contract/registry.ts';
import { acceptInvitations } from '../../engine/db/commerce/team.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { keyOf } from './support/api-keys.ts';
import { leastParts, requestOf } from './support/requests.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

const OWNER = account(1_000);
const THIEF = account(7_001);

describe('a change of rights', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled: new Set(optionalResources) });
    await fixture.settle(smallHistory().history.facts);
    const { merchants } = await fixture.clientAs(OWNER);
    await merchants.setup({ slug: 'robbed', name: 'Robbed' });
  });
  afterAll(() => fixture.close());

  it('fails with a stolen key, which so leaves no accomplice behind', async () => {
    // A key from before, whose scopes still name what no key may call any more.
    const scopes = ['team.write', 'team.read', 'webhooks.write', 'apiKeys.write', 'orders.read'];
    const key = await keyOf(fixture, OWNER, { scopes });
    const stolen = fixture.client({}, undefined, { apiKey: key });
    await expect(stolen.orders.list({})).resolves.toBeDefined();
    const invite = stolen.team.invite({ address: THIEF, role: 'admin' });
    await expect(invite).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const hook = stolen.webhooks.create({ url: 'https://thief.example/', events: ['*'] });
    await expect(hook).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await acceptInvitations(fixture.pool, THIEF, new Date(fixture.deps.clock()));
    const thief = await fixture.signingClientAs(THIEF, {}, { merchant: OWNER });
    await expect(thief.orders.list({})).rejects.toMatchObject({ status: 403 });
    const [left] = await fixture.pool`
      select (select count(*)::int from commerce.team_member) as members,
        (select count(*)::int from commerce.webhook_endpoint) as endpoints`;
    expect(left).toEqual({ members: 0, endpoints: 0 });
  });

  const widening = methods.filter(
    ({ rights, availability }) =>
      rights !== undefined && rights !== 'narrows' && availability !== 'designed',
  );
  it.each(widening.map((method) => [method.name, method] as const))(
    '%s needs a fresh signature before anything else',
    async (_name, method) => {
      const session = await signedIn(fixture.deps, OWNER);
      const parts = leastParts(method);
      const fields = typeof method.rights === 'object' ? { email: 'new@example.com' } : {};
      const body = { ...Object(parts.body), ...fields };
      const { path, init } = requestOf(method, { ...parts, body }, session.writing);
      const response = await fixture.app().request(path, init);
      expect(await response.text()).toContain('CONFIRMATION_REQUIRED');
      expect(response.status).toBe(403);
      const forged = { ...body, confirmationToken: 'x'.repeat(43) };
      const second = requestOf(method, { ...parts, body: forged }, session.writing);
      const refused = await fixture.app().request(second.path, second.init);
      expect(await refused.text()).toContain('CONFIRMATION_REQUIRED');
    },
  );

  it('lets somebody who is signed in choose the kinds of mails, or remove the address, without a signature', async () => {
    const { notifications } = await fixture.clientAs(OWNER);
    await notifications.setPreferences({ kinds: ['report_ready'] });
    await notifications.setPreferences({ email: null });
    const set = notifications.setPreferences({ email: 'new@example.com' });
    await expect(set).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  });

  it('leaves everything that a key had created in the audit log, with the key', async () => {
    const key = await keyOf(fixture, OWNER, { scopes: ['studio.write'] });
    const program = fixture.client({}, undefined, { apiKey: key });
    const policy = {
      ...{ commissionBps: 1_000, maxRewardedAncestors: 1, weightsBps: [10_000] },
      holdSeconds: 60,
    };
    await program.studio.saveTemplate({ name: 'By the key', policy });
    const owner = await fixture.clientAs(OWNER);
    const [{ id } = { id: '' }] = (await owner.apiKeys.list()).data;
    await owner.apiKeys.revoke({ id });
    const { items } = (await owner.team.audit({})).data;
    const byKey = items.filter(({ actor }) => actor.includes(`key:${id}`));
    expect(byKey.map(({ action }) => action)).toEqual(['studio.saveTemplate']);
    expect(items.map(({ action }) => action)).toContain('apiKeys.revoke');
  });
});
