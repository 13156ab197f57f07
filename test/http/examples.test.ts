import { readFileSync } from 'node:fs';
import { keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { methods } from '../../engine/contract/registry.ts';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import type { AppDeps } from '../../engine/http/deps.ts';
import { makeRateLimits } from '../../engine/http/limits/rate-limits.ts';
import { EXAMPLES_FILE, type Example } from '../../engine/http/openapi/examples.ts';
import { failureExamples } from '../../engine/http/openapi/failures.ts';
import { MAX_BODY_BYTES } from '../../engine/http/security.ts';
import { campaignIdOf, merchant } from '../../sample/commerce/world.ts';
import { lower } from '../support/facts.ts';
import { expectRecorded } from '../support/recorded.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { png } from './support/images.ts';
import { expectWithinBudget, publicReads } from './support/read-budget.ts';
import {
  exampleInputs,
  missingInput,
  recordExample,
  sendExample,
  served,
} from './support/record-example.ts';
import { addressOf, SampleApi } from './support/sample-api.ts';
import { signedIn } from './support/session.ts';
import { type Statement, StatementLog } from './support/statements.ts';

/** Largest size of an example and of all of them, bytes of JSON. */
const MAX_EXAMPLE_BYTES = 15_000;
const MAX_BYTES = 236_000;

/** A cursor of each list, made when lists decoded cursors one by one, with the filters of its request. */
const cursors = z
  .record(
    z.string(),
    z.object({ query: z.record(z.string(), z.unknown()).optional(), cursor: z.string() }),
  )
  .parse(JSON.parse(readFileSync(new URL('../vectors/cursors.json', import.meta.url), 'utf8')));

/** Tables whose rows give somebody a right beyond one request (docs/use/teams.md#changes-of-rights). */
const TABLES_OF_RIGHTS = [
  ...['api_key', 'mail_account', 'mail_confirmation', 'session', 'team_member'],
  'webhook_endpoint',
];

/** Methods that write such a table on a proof of their own. */
const OWN_PROOF: Readonly<Record<string, string>> = {
  'account.delete': 'ends every right of the account, with a fresh signature',
  'auth.confirm': 'is the fresh signature',
  'auth.signIn': 'is a signature',
};

/** A use of a session or key only moves its time forward. */
const IS_USE = /set last_(seen|used)_at = /;

/** Tables of rights that statements write. */
function tablesOfRights(statements: readonly Statement[]): string[] {
  const writes = /(?:insert into|update|delete from)\s+commerce\.(\w+)/g;
  return statements
    .filter(({ text }) => !IS_USE.test(text))
    .flatMap(({ text }) => [...text.matchAll(writes)].map(([, table = '']) => table))
    .filter((table) => TABLES_OF_RIGHTS.includes(table));
}

/** Of one row, of a row of each error or RPC, or of the findings and decisions about what is wrong now. */
const SMALL =
  / (distributor_ranking_state|deployment|feeder_error_pkey|rpc_health|rpc_health_pkey|audit_finding|alarm_decision_key|relayer)$/;

/** Methods that count all campaigns, or name the state of each, by an index of all campaigns. */
const OF_ALL_CAMPAIGNS = ['campaigns.list', 'system.digest', 'system.activity', 'blocks.get'];
const ALL_CAMPAIGNS = /^whole Index (Only )?Scan of campaign_\w+$/;

/** Parts of the metadata that an auditor compares with what other methods return. */
const Metadata = z.looseObject({
  campaign: z.looseObject({ token: z.string(), trustMode: z.string(), skuHash: z.string() }),
  chainId: z.int(),
  contract: z.string(),
  merchant: z.string(),
  policyHash: z.string(),
  product: z.object({ id: z.string(), version: z.int() }),
});

const harbor = merchant('harbor-roasters');
const another = campaignIdOf('icon-library-licence');
const json = { 'content-type': 'application/json' };

/** A request of the sample, signed in as an account or not, to its app with some other dependencies. */
async function send(
  { fixture }: SampleApi,
  path: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  changes: Partial<AppDeps> = {},
): Promise<Response> {
  const all = { 'x-request-id': 'req-1', ...headers };
  return await fixture.app(changes).request(path, { ...init, headers: all });
}

/** Headers of a write of an account. */
async function writing({ fixture }: SampleApi) {
  return (await signedIn(fixture.deps, addressOf(harbor))).writing;
}

const logo = () => {
  const form = new FormData();
  form.append('file', png(8, 8), 'file');
  return form;
};

/** A request that fails, by the code of its error: each that a method may answer with. */
const failing: Readonly<Partial<Record<string, (sample: SampleApi) => Promise<Response>>>> = {
  VALIDATION_FAILED: (sample) => send(sample, '/v1/campaigns?limit=1000'),
  UNAUTHENTICATED: (sample) => send(sample, '/v1/me/links'),
  FORBIDDEN: async (sample) =>
    await send(sample, `/v1/merchant/campaigns/${another}/distributors`, {
      headers: await writing(sample),
    }),
  CONFIRMATION_REQUIRED: async (sample) =>
    await send(sample, '/v1/merchant/reports', {
      method: 'POST',
      headers: { ...json, ...(await writing(sample)) },
      body: JSON.stringify({ kind: 'sales', format: 'csv' }),
    }),
  CSRF_REJECTED: async (sample) => {
    const { 'x-csrf-token': _, ...headers } = await writing(sample);
    return await send(sample, '/v1/merchant', { method: 'PATCH', headers });
  },
  ORIGIN_REJECTED: (sample) =>
    send(sample, '/v1/policies/simulate', {
      method: 'POST',
      headers: { origin: 'https://another.example' },
    }),
  NOT_FOUND: (sample) => send(sample, '/v1/campaigns/999'),
  CONFLICT: async (sample) =>
    await send(sample, '/v1/merchant', {
      method: 'PATCH',
      headers: { ...json, ...(await writing(sample)) },
      body: JSON.stringify({ slug: 'northlight-studio' }),
    }),
  IDEMPOTENCY_CONFLICT: async (sample) => {
    const named = { 'idempotency-key': 'order-2025-0001' };
    const headers = { ...json, ...named, ...(await writing(sample)) };
    const policy = {
      ...{ commissionBps: 1_000, maxRewardedAncestors: 1, weightsBps: [10_000] },
      holdSeconds: 60,
    };
    const save = async (name: string) => {
      const body = JSON.stringify({ name, policy });
      return await send(sample, '/v1/merchant/policy-templates', { method: 'POST', headers, body });
    };
    await save('One');
    return await save('Another');
  },
  PAYLOAD_TOO_LARGE: (sample) =>
    send(sample, '/v1/policies/simulate', {
      method: 'POST',
      headers: json,
      body: JSON.stringify('x'.repeat(MAX_BODY_BYTES)),
    }),
  UNSUPPORTED_MEDIA_TYPE: (sample) => send(sample, '/v1/policies/simulate', { method: 'POST' }),
  UNPROCESSABLE: async (sample) =>
    await send(sample, '/v1/merchant/policy-templates/single-level', {
      method: 'DELETE',
      headers: await writing(sample),
    }),
  RATE_LIMITED: async (sample) => {
    const { pool, keys } = sample.fixture.deps;
    const limits = makeRateLimits({ pool, keys, redis: undefined, prefix: 'one', perMinute: 1 });
    await send(sample, '/v1/system/endpoints', {}, { limits });
    return await send(sample, '/v1/system/endpoints', {}, { limits });
  },
  INTERNAL: (sample) => {
    const clock = () => {
      throw new Error('a broken clock');
    };
    return send(sample, '/v1/auth/nonce', {}, { clock });
  },
  METHOD_UNAVAILABLE: (sample) => send(sample, '/v1/merchant/signers'),
  NOT_READY: async (sample) => {
    const empty = await ApiFixture.open();
    try {
      return await send(sample, '/v1/campaigns', {}, { pool: empty.pool, cacheMiB: 0 });
    } finally {
      await empty.close();
    }
  },
  STORAGE_FULL: async (sample) => {
    const files = Object.create(sample.fixture.deps.files);
    files.put = async () => {
      const cause = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      throw new Error('Cannot write the file', { cause });
    };
    const headers = await writing(sample);
    const init = { method: 'POST', headers, body: logo() };
    return await send(sample, '/v1/merchant/logo', init, { files });
  },
};

describe('the recorder of examples for the OpenAPI document', () => {
  let sample: SampleApi;
  const recorded = new Map<string, Example>();
  let log: StatementLog;
  /** Statements of the request of each example. */
  const sent = new Map<string, readonly Statement[]>();

  beforeAll(async () => {
    sample = await SampleApi.open();
    // Otherwise the first list of distributors makes it, which reads all accounts.
    await refreshRanking(sample.fixture.pool);
    // No worker and no indexer runs here.
    const at = '2025-07-15T00:00:00Z';
    await sample.fixture.pool`
      insert into ledger.rpc_health (part, place, state, since, max_log_blocks, disagreements, seen_at)
      values ('indexer', 1, 'ok', ${at}, null, 0, ${at}),
        ('worker', 1, 'ok', ${at}, 800, 0, ${at})`;
    log = new StatementLog(sample.fixture);
  });
  afterAll(async () => {
    await log?.pool.end();
    await sample?.close();
  });

  it('knows an input of every live or optional method, and of no other', () => {
    const missing = served.filter(([name]) => exampleInputs[name] === undefined);
    expect(missing.map(([name]) => missingInput(name))).toEqual([]);
    const names = new Set(served.map(([name]) => name));
    expect(Object.keys(exampleInputs).filter((name) => !names.has(name))).toEqual([]);
  });

  it('finds metadata of campaigns that hashes to what the chain has, and names the product and policy of each campaign that has a product', async () => {
    const client = sample.fixture.client();
    const { data: status } = await client.system.status({});
    const found: string[] = [];
    for (const { campaignId } of (await client.campaigns.list({ limit: 100 })).data.items) {
      const { data: campaign } = await client.campaigns.get({ campaignId });
      const reply = await client.metadata.get({ campaignId }).catch((error: unknown) => {
        expect(error).toMatchObject({ status: 404 });
      });
      if (reply === undefined) continue;
      const { data: metadata } = reply;
      found.push(campaignId);
      expect(keccak256(lower(metadata.bytes))).toBe(campaign.metadataHash);
      const said = Metadata.parse(JSON.parse(metadata.text));
      const { chainId, contractAddress } = status.deployment;
      expect(said).toMatchObject({ chainId, contract: contractAddress });
      expect(said.merchant).toBe(campaign.merchant.address);
      expect(said.campaign).toMatchObject({
        token: campaign.token.address,
        trustMode: campaign.trustMode,
      });
      const { data: policies } = await client.policies.list({ campaignId });
      expect(said.policyHash).toBe(policies.items[0]?.policyHash);
      const { id, version } = said.product;
      expect(id).toBe(campaign.product.id);
      expect((await client.versions.get({ id, version })).data).toMatchObject({ version });
    }
    // Two merchants published without this service: one has no profile, and one no product.
    expect(found.sort()).toHaveLength(7);
  });

  it('records what the API answers over the sample, as the document shows it', async () => {
    for (const name of Object.keys(exampleInputs)) {
      const [, method] = served.find(([one]) => one === name) ?? [];
      if (method === undefined) continue;
      // What the input itself writes goes through the connections of the fixture, and is not recorded.
      log.sent.length = 0;
      const { pool } = log;
      recorded.set(name, await recordExample(sample, name, method, { pool }));
      sent.set(name, log.sent.splice(0));
    }
    const inOrder = served.flatMap(([name]) => {
      const example = recorded.get(name);
      return example ? [[name, example] as const] : [];
    });
    const tooLarge = inOrder.filter(([, one]) => JSON.stringify(one).length > MAX_EXAMPLE_BYTES);
    expect(tooLarge.map(([name]) => name)).toEqual([]);
    const all = Object.fromEntries(inOrder);
    expect(JSON.stringify(all).length).toBeLessThan(MAX_BYTES);
    await expectRecorded(all, EXAMPLES_FILE, 1);
  }, 120_000);

  it('records requests that find their rows by indexes', async () => {
    const unindexed = [];
    for (const [name, statements] of sent) {
      for (const [statement, whole] of await log.wholeReadsOf(statements)) {
        for (const read of whole) {
          const isOfAll = OF_ALL_CAMPAIGNS.includes(name) && ALL_CAMPAIGNS.test(read);
          if (!isOfAll && !SMALL.test(read)) unindexed.push({ name, read, statement });
        }
      }
    }
    expect(unindexed).toEqual([]);
    const explained = [...sent.values()].filter((statements) => statements.length > 0);
    expect(explained.length).toBeGreaterThan(served.length / 2);
  }, 300_000);

  it('accepts cursors that earlier versions of the lists made', async () => {
    const lists = served.filter(
      // The endpoint of the deliveries has a new id in each run.
      ([name, { input }]) => input?.query?.shape.cursor && name !== 'webhooks.deliveries',
    );
    expect(Object.keys(cursors).sort()).toEqual(lists.map(([name]) => name).sort());
    for (const [name, method] of lists) {
      const { query = {}, cursor } = cursors[name] ?? {};
      const { response } = await sendExample(sample, name, method, {}, { ...query, cursor });
      expect(response, name).toBeDefined();
    }
  }, 60_000);

  it('finds that every method that writes members, keys, receivers or sessions declares it', () => {
    const wrote = new Map<string, string[]>();
    for (const [name, method] of served) {
      const tables = tablesOfRights(sent.get(name) ?? []);
      wrote.set(method.name, [...(wrote.get(method.name) ?? []), ...tables]);
    }
    const writing = [...wrote].filter(([, tables]) => tables.length > 0);
    expect(new Set(writing.flatMap(([, tables]) => tables))).toEqual(new Set(TABLES_OF_RIGHTS));
    const undeclared = writing
      .filter(([name]) => methods.every((one) => one.name !== name || one.rights === undefined))
      .map(([name]) => name);
    expect(undeclared.sort()).toEqual(Object.keys(OWN_PROOF).sort());
    const needless = methods
      .filter(({ rights, availability }) => rights !== undefined && availability !== 'designed')
      .filter(({ name }) => (wrote.get(name) ?? []).length === 0)
      .map(({ name }) => name);
    expect(needless).toEqual([]);
  });

  it.each(publicReads)(
    'finds that the budget of a public read suffices for %s',
    async (...read) => {
      await expectWithinBudget(sample, ...read);
    },
  );

  const documented = failureExamples(methods);

  it('knows a request that fails for every error of the document', () => {
    expect(Object.keys(failing).sort()).toEqual(Object.keys(documented).sort());
  });

  it.each(Object.entries(documented))(
    'finds the error %s as the document shows it',
    async (code, { value }) => {
      const response = await failing[code]?.(sample);
      expect(await response?.json()).toEqual(value);
    },
  );
});
