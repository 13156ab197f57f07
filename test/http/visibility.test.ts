import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../engine/client/index.ts';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { saveConfirmation } from '../../engine/db/commerce/confirmations.ts';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { newToken, tokenHashOf } from '../../engine/http/auth/token.ts';
import { account } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { builtMethods, isWrite, leastParts, requestOf, schemasOf } from './support/requests.ts';
import { signedIn } from './support/session.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

/** Owns node 4 of the small history, and sold sale 1. */
const QUIET = account(14);
const HANDLE = 'quiet-quill';
const NAME = 'Quilla the Quiet';

const DAY_MS = 86_400_000;
let now = Date.UTC(2026, 0, 1);

/** Changes a profile as its owner, who has just confirmed it. */
async function change(
  fixture: ApiFixture,
  address: `0x${string}`,
  profile: {
    visibility: 'public' | 'pseudonymous';
    handle?: string | null;
    displayName?: string | null;
  },
) {
  const { id, csrfToken, reading } = await signedIn(fixture.deps, address);
  const confirmationToken = newToken();
  const until = new Date(now + 60_000);
  await saveConfirmation(fixture.pool, id, tokenHashOf(confirmationToken), until);
  const { reputation } = fixture.client({}, { csrfToken, cookie: reading.cookie });
  return (await reputation.updateVisibility({ ...profile, confirmationToken })).data;
}

describe('a distributor’s visibility', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    await refreshRanking(fixture.pool);
  });
  afterAll(() => fixture.close());

  /** Methods that returned address and handle together while the account was public. */
  const returnedBoth = new Set<string>();

  /**
   * Each answer that there is to a GET, with what was asked; the account itself never asks.
   * @param names methods to ask; default all.
   */
  async function allAnswers(
    names?: ReadonlySet<string>,
  ): Promise<{ name: string; path: string; text: string }[]> {
    const answers = [];
    const app = fixture.app();
    const askers: { readonly cookie?: string }[] = [];
    // One session each: an account has 20 at most.
    for (const n of [1_000, 11, 500])
      askers.push((await signedIn(fixture.deps, account(n))).reading);
    const asked = builtMethods.filter((one) => names?.has(one.name) !== false);
    for (const method of asked.filter((one) => !isWrite(one))) {
      for (const headers of method.access === 'session' ? askers : [{}]) {
        for (const { path } of requestsOf(method)) {
          const response = await app.request(path, { headers });
          const text = await response.text();
          answers.push({ name: method.name, path: decodeURIComponent(path), text });
        }
      }
    }
    return answers;
  }

  const ids = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1));
  /** Values of path placeholders by name: everything of the small history, and the account by both names. */
  const values: Readonly<Record<string, readonly unknown[]>> = {
    chainId: [CHAIN_ID],
    campaignId: ids(3),
    saleId: ids(5),
    nodeId: ids(7),
    address: [QUIET, account(11)],
    slug: ['acme', QUIET],
    code: ids(7).map((id) => encodeReferralCode(id)),
    addressOrHandle: [QUIET, HANDLE],
  };
  const searches = [QUIET, QUIET.toUpperCase().replace('X', 'x'), QUIET.slice(0, 12), HANDLE, NAME];

  function requestsOf(method: (typeof builtMethods)[number]) {
    const least = leastParts(method);
    const names = Object.keys(least.params);
    const params = names.reduce<Record<string, unknown>[]>(
      (made, name) =>
        made.flatMap((one) =>
          (values[name] ?? [least.params[name]]).map((value) => ({ ...one, [name]: value })),
        ),
      [{}],
    );
    const { properties = {} } = schemasOf(method).query;
    const texts = Object.keys(properties).filter(
      (name) => name !== 'cursor' && properties[name]?.type === 'string' && !properties[name].enum,
    );
    const queries = [
      least.query,
      ...texts.flatMap((name) => searches.map((text) => ({ ...least.query, [name]: text }))),
    ];
    return params.flatMap((one) =>
      queries.map((query) => requestOf(method, { params: one, query, body: undefined })),
    );
  }

  const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  const revealsName = (text: string) => has(text, HANDLE) || has(text, NAME);

  it('returns no response with both the address and the handle or name of a pseudonymous account', async () => {
    await change(fixture, QUIET, { visibility: 'pseudonymous', handle: HANDLE, displayName: NAME });
    const answers = await allAnswers();
    for (const { path, text } of answers) {
      expect(revealsName(text) && has(text, QUIET), `${path}: ${text}`).toBe(false);
      // By one of the two names, the other cannot be found.
      if (has(path, QUIET)) expect(revealsName(text), `${path}: ${text}`).toBe(false);
      if (revealsName(path)) expect(has(text, QUIET), `${path}: ${text}`).toBe(false);
    }
    // The walk went where an address is, and where a handle is.
    const withAddress = new Set(answers.filter(({ text }) => has(text, QUIET)).map((a) => a.name));
    expect([...withAddress]).toEqual(
      expect.arrayContaining([
        ...['receipts.get', 'receipts.events', 'links.get', 'referrals.get', 'graph.forCampaign'],
        ...['graph.ancestry', 'graph.salePath', 'graph.search', 'graph.mine'],
        ...['campaigns.activity', 'distributors.get', 'reputation.get'],
      ]),
    );
    // The name itself is asked to those alone who ask by it.
    const unasked = answers.filter(({ path, text }) => revealsName(text) && !revealsName(path));
    expect(unasked).toEqual([]);
  });

  it('returns address and handle wherever a public account is named as a distributor', async () => {
    await change(fixture, QUIET, { visibility: 'public' });
    const answers = await allAnswers();
    const both = answers.filter(({ text }) => revealsName(text) && has(text, QUIET));
    for (const { name } of both) returnedBoth.add(name);
    expect([...returnedBoth]).toEqual(
      expect.arrayContaining([
        ...['reputation.get', 'distributors.get', 'distributors.list', 'links.get'],
        ...['referrals.get', 'graph.forCampaign', 'graph.search', 'graph.mine'],
      ]),
    );
    const { data } = await fixture.client().reputation.get({ addressOrHandle: HANDLE });
    expect(data).toMatchObject({ address: QUIET, displayName: NAME, visibility: 'public' });
  });

  it('separates address and handle immediately when an account becomes pseudonymous again', async () => {
    await change(fixture, QUIET, { visibility: 'pseudonymous' });
    // The first test asked all methods; those that show both to a public account could still do so.
    const answers = await allAnswers(returnedBoth.size > 0 ? returnedBoth : undefined);
    for (const { path, text } of answers) {
      expect(revealsName(text) && has(text, QUIET), path).toBe(false);
    }
    const { distributors, reputation } = fixture.client();
    const { data: list } = await distributors.list({ limit: 100 });
    expect(list.items.map(({ address }) => address)).not.toContain(QUIET);
    const { data } = await reputation.get({ addressOrHandle: HANDLE });
    expect(data).toMatchObject({ address: null, handle: HANDLE, record: null });
  });
});

describe('a handle', () => {
  const [ANNA, BEN, CLEO] = [account(11), account(12), account(13)];
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  it('shows the owner of a handle what strangers see of it', async () => {
    const { reputation } = await fixture.clientAs(ANNA);
    const { data: before } = await reputation.mine();
    expect(before).toMatchObject({
      ...{ address: ANNA, handle: null, visibility: 'pseudonymous', updatedAt: null },
      sharedFields: [],
      record: { linkCount: 1 },
    });
    const hidden = await change(fixture, ANNA, { visibility: 'pseudonymous', handle: 'anna' });
    expect(hidden.sharedFields).toEqual(['handle']);
    const shown = await change(fixture, ANNA, { visibility: 'public', displayName: 'Anna A.' });
    expect(shown).toMatchObject({ handle: 'anna', displayName: 'Anna A.' });
    expect(shown.sharedFields).toEqual(['handle', 'displayName', 'address', 'record']);
    expect((await reputation.mine()).data).toEqual(shown);
    const cleared = await change(fixture, ANNA, { visibility: 'public', displayName: null });
    expect(cleared).toMatchObject({ handle: 'anna', displayName: null });
    // One that never joined may have a profile, too.
    const buyer = await fixture.clientAs(account(500));
    const { data: newcomer } = await buyer.reputation.mine();
    expect(newcomer.record).toMatchObject({ linkCount: 0, firstLinkAt: null });
  });

  it('changes a handle only with a fresh signature', async () => {
    const { reputation } = await fixture.clientAs(ANNA);
    await expect(reputation.updateVisibility({ visibility: 'public' })).rejects.toMatchObject({
      status: 403,
      code: 'CONFIRMATION_REQUIRED',
    });
  });

  it('gives a handle to one account at a time, however many request it concurrently', async () => {
    const requests = [ANNA, BEN, CLEO].map(async (address) =>
      change(fixture, address, { visibility: 'public', handle: 'wanted' }).catch((e: unknown) => e),
    );
    const answers = await Promise.all(requests);
    const refused = answers.filter((one) => one instanceof ApiError);
    expect(refused).toHaveLength(2);
    for (const error of refused) expect(error).toMatchObject({ status: 409, code: 'CONFLICT' });
    const rows = await fixture.pool`
      select address from commerce.distributor where handle = 'wanted'`;
    expect(rows).toHaveLength(1);
  });

  it('reserves a handle that was given up for its previous owner for 30 days', async () => {
    const public_ = { visibility: 'public' } as const;
    const [first, second] = [account(21), account(22)];
    await change(fixture, first, { ...public_, handle: 'passed-on' });
    await change(fixture, first, { ...public_, handle: null });
    await expect(
      change(fixture, second, { ...public_, handle: 'passed-on' }),
    ).rejects.toMatchObject({
      status: 409,
    });
    await change(fixture, first, { ...public_, handle: 'passed-on' });
    await change(fixture, first, { ...public_, handle: 'another' });
    now += 29 * DAY_MS;
    await expect(
      change(fixture, second, { ...public_, handle: 'passed-on' }),
    ).rejects.toMatchObject({
      status: 409,
    });
    const { handle } = await change(fixture, second, { ...public_ });
    expect(handle).toBeNull();
    now += 2 * DAY_MS;
    expect((await change(fixture, second, { ...public_, handle: 'passed-on' })).handle).toBe(
      'passed-on',
    );
  });

  it('refuses a handle at the moment in which another account gives it up', async () => {
    const public_ = { visibility: 'public' } as const;
    for (let round = 0; round < 5; round += 1) {
      const [first, second] = [account(100 + 2 * round), account(101 + 2 * round)];
      const handle = `moment-${round}`;
      await change(fixture, first, { ...public_, handle });
      const [, taken] = await Promise.allSettled([
        change(fixture, first, { ...public_, handle: null }),
        change(fixture, second, { ...public_, handle }),
      ]);
      expect(taken).toMatchObject({ status: 'rejected', reason: { status: 409 } });
    }
  });

  it('lets an account give up at most three handles in 30 days, so that it cannot hoard names', async () => {
    const hoarder = account(40);
    for (const handle of ['one-1', 'two-2', 'three-3', 'four-4']) {
      await change(fixture, hoarder, { visibility: 'public', handle });
    }
    await expect(
      change(fixture, hoarder, { visibility: 'public', handle: 'five-5' }),
    ).rejects.toMatchObject({ status: 422 });
    const { reputation } = await fixture.clientAs(hoarder);
    expect((await reputation.mine()).data.handle).toBe('four-4');
  });

  it.each(['admin', 'sup-port', 'tributary-team', 'Anna', 'ab', '0x12'])(
    'refuses the handle %s',
    async (handle) => {
      await expect(change(fixture, BEN, { visibility: 'public', handle })).rejects.toMatchObject({
        status: 400,
        issues: [{ path: 'handle' }],
      });
    },
  );

  it.each(['', ' x', 'x ', 'a\u202eb', 'a\nb'])(
    'refuses the display name %j',
    async (displayName) => {
      await expect(
        change(fixture, BEN, { visibility: 'public', displayName }),
      ).rejects.toMatchObject({
        status: 400,
        issues: [{ path: 'displayName' }],
      });
    },
  );
});
