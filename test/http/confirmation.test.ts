import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Confirm } from '../../engine/client/index.ts';
import { createClient } from '../../engine/client/index.ts';
import { optionalResources } from '../../engine/contract/registry.ts';
import { acceptInvitations } from '../../engine/db/commerce/team.ts';
import { requireConfirmation } from '../../engine/http/auth/confirmation.ts';
import { sessionOf } from '../../engine/http/auth/session.ts';
import { CONFIRMATION_SECONDS } from '../../engine/http/auth/times.ts';
import { account } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

const ORIGIN = 'https://shop.example';
const signer = privateKeyToAccount(generatePrivateKey());
const address: `0x${string}` = `0x${signer.address.slice(2).toLowerCase()}`;

/** A wallet that signs whatever it is asked to. */
const wallet =
  (account = signer) =>
  async ({ nonce, chainId }: Parameters<Confirm>[0]): ReturnType<Confirm> => {
    const message = createSiweMessage({
      address: account.address,
      domain: 'shop.example',
      uri: ORIGIN,
      version: '1',
      chainId,
      nonce,
      issuedAt: new Date(now),
      statement: 'Confirm a change to your account.',
    });
    return { message, signature: await account.signMessage({ message }) };
  };

let now = Date.UTC(2026, 0, 1);

describe('a confirmation', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(async () => {
    await fixture.close();
  });

  async function session() {
    const { reading, csrfToken } = await signedIn(fixture.deps, address);
    const token = reading.cookie.split('=')[1];
    const opened = await sessionOf(fixture.deps, token);
    if (opened === undefined) throw new Error('no session');
    const client = fixture.client({}, { csrfToken, cookie: reading.cookie });
    return { client, session: opened, csrfToken, cookie: reading.cookie };
  }

  async function confirmed({ client }: Awaited<ReturnType<typeof session>>, sign = wallet()) {
    const { data: challenge } = await client.auth.nonce();
    return (await client.auth.confirm(await sign(challenge))).data.confirmationToken;
  }

  it('accepts a confirmation for five minutes, only in its session, and until the next one', async () => {
    const mine = await session();
    const other = await session();
    const token = await confirmed(mine);
    await requireConfirmation(fixture.deps, mine.session, token);
    await requireConfirmation(fixture.deps, mine.session, token);
    const refused = (session: typeof mine.session, text: string | undefined) =>
      expect(requireConfirmation(fixture.deps, session, text)).rejects.toMatchObject({
        code: 'CONFIRMATION_REQUIRED',
      });
    await refused(other.session, token);
    await refused(mine.session, undefined);
    await refused(mine.session, `${token}x`);

    const next = await confirmed(mine);
    await refused(mine.session, token);
    now += CONFIRMATION_SECONDS * 1_000 - 1;
    await requireConfirmation(fixture.deps, mine.session, next);
    now += 1;
    await refused(mine.session, next);
  });

  it('accepts the signature of the signed-in account, once', async () => {
    const mine = await session();
    const stranger = privateKeyToAccount(generatePrivateKey());
    await expect(confirmed(mine, wallet(stranger))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const { data: challenge } = await mine.client.auth.nonce();
    const signed = await wallet()({ ...challenge, chainId: CHAIN_ID });
    await mine.client.auth.confirm(signed);
    await expect(mine.client.auth.confirm(signed)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('lets the client ask the wallet for a confirmation, and then send the write again', async () => {
    const { csrfToken, cookie } = await session();
    const app = fixture.app();
    let confirmations = 0;
    const make = (confirm?: Confirm) =>
      createClient({
        baseUrl: 'http://api.test',
        origin: ORIGIN,
        session: { csrfToken, cookie },
        fetch: async (url, init) => await app.request(String(url), init),
        ...(confirm ? { confirm } : {}),
      });
    const body = { visibility: 'public' } as const;
    await expect(make().reputation.updateVisibility(body)).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      status: 403,
    });
    const client = make(async (challenge) => {
      confirmations += 1;
      return await wallet()(challenge);
    });
    const { data } = await client.reputation.updateVisibility(body);
    expect(data).toMatchObject({ visibility: 'public' });
    expect(confirmations).toBe(1);
  });

  it('lets the client ask the wallet once for each change of rights', async () => {
    const { csrfToken, cookie } = await session();
    const app = fixture.app({ enabled: new Set(optionalResources) });
    let confirmations = 0;
    const client = createClient({
      baseUrl: 'http://api.test',
      origin: ORIGIN,
      session: { csrfToken, cookie },
      fetch: async (url, init) => await app.request(String(url), init),
      confirm: async (challenge) => {
        confirmations += 1;
        return await wallet()(challenge);
      },
    });
    await client.merchants.setup({ slug: 'confirming', name: 'Confirming' });
    const member = account(7_100);
    const { data: invited } = await client.team.invite({ address: member, role: 'viewer' });
    await client.team.updateRole({ id: invited.id, role: 'admin' });
    await acceptInvitations(fixture.pool, member, new Date(now));
    const { id } = (
      await client.webhooks.create({ url: 'https://shop.example/hook', events: ['*'] })
    ).data;
    await client.webhooks.update({ id, enabled: false });
    await client.webhooks.rotateSecret({ id });
    await client.webhooks.remove({ id });
    await client.notifications.setPreferences({ email: 'shop@example.com' });
    expect(confirmations).toBe(6);
    await client.team.transferOwnership({ address: member });
    expect(confirmations).toBe(7);
    const { data } = await client.team.members();
    expect(data[0]).toMatchObject({ address: member, role: 'owner' });
  });
});
