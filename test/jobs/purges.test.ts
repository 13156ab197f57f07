import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RetentionTask, retention } from '../../engine/core/retention.ts';
import { checkAuditLogs } from '../../engine/db/commerce/audit-log.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { chores, runChore } from '../../engine/jobs/chores.ts';
import { createTestDatabase } from '../support/database.ts';
import { account, hash } from '../support/history.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const DAY = 86_400_000;
const [ANN, BEN] = [account(1), account(2)];

/** Time of a row: `age` milliseconds before now. */
type Insert = (pool: Pool, name: string, at: Date) => Promise<unknown>;

/** For each task: how to store a row of that age, and the table in which it is counted. */
const cases: Partial<Record<RetentionTask, { readonly table: string; readonly insert: Insert }>> = {
  'sign-in-nonces.forget': {
    table: 'sign_in_nonce',
    insert: (pool, name, at) => pool`
      insert into commerce.sign_in_nonce (slot, nonce, expires_at)
      values (nextval('commerce.sign_in_nonce_slot'), ${`nonce${name}x`}, ${at})`,
  },
  'sessions.forget': {
    table: 'session',
    insert: (pool, name, at) => pool`
      insert into commerce.session (id, token_hash, address, created_at, last_seen_at, expires_at)
      values (${name}, sha256(${name}::bytea), ${ANN}, ${at}, ${at}, ${at})`,
  },
  'opens.forget': {
    table: 'referral_visitor',
    insert: (pool, name, at) => pool`
      insert into commerce.referral_visitor (day, campaign_id, node_id, visitor, opens)
      values (${at}::date, 1, 1, substr(sha256(${name}::bytea), 1, 16), 1)`,
  },
  'idempotency-keys.forget': {
    table: 'idempotency_key',
    insert: (pool, name, at) => pool`
      insert into commerce.idempotency_key (account, key, request_hash, started_at)
      values (${ANN}, ${name}, sha256('x'), ${at})`,
  },
  'released-names.forget': {
    table: 'released_name',
    insert: (pool, name, at) => pool`
      insert into commerce.released_name (kind, name, address, released_at)
      values ('handle', ${`h${name}`}, ${ANN}, ${at})`,
  },
  'old-slugs.forget': {
    table: 'released_name',
    insert: (pool, name, at) => pool`
      insert into commerce.released_name (kind, name, address, released_at)
      values ('slug', ${`s${name}`}, ${ANN}, ${at})`,
  },
  'relayed-transactions.forget': {
    table: 'relayed_transaction',
    insert: (pool, name, at) => pool`
      insert into commerce.relayed_transaction (hash, merchant, sender, nonce, attempt, gas, max_fee,
        priority_fee, status, cost, sent_at)
      values (${hash(name)}, ${ANN}, ${ANN}, 1, 1, 1, 1, 1, 'dropped', 0, ${at})`,
  },
  'buyer-details.forget': { table: 'buyer_details', insert: details('180 days') },
  'buyer-details.forget-unpaid': { table: 'buyer_details', insert: details('0 days') },
  'intents.forget-unpaid': { table: 'checkout_intent', insert: intent('created') },
  'intents.forget': { table: 'checkout_intent', insert: intent('confirmed') },
  'invitations.forget': {
    table: 'invitation',
    insert: (pool, name, at) => pool`
      with merchant as (
        insert into commerce.merchant (id, address, slug, name) values ('m', ${ANN}, 'm', 'M')
        on conflict do nothing
      )
      insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message, terms,
        policy_hash, status, created_at, expires_at)
      values (${name}, ${ANN}, 'm', 1, ${BEN}, '', '', ${hash('p')}, 'expired', ${at},
        ${at}::timestamptz + interval '1 day')`,
  },
  'join-requests.forget': {
    table: 'join_request',
    insert: (pool, name, at) => pool`
      insert into commerce.join_request (id, merchant, campaign_id, terms_hash, distributor, message, status,
        created_at, answered_at)
      values (${name}, ${ANN}, 1, ${hash('terms')}, ${BEN}, 'x', 'declined', ${at}, ${at})`,
  },
  'api-keys.forget': {
    table: 'api_key',
    insert: (pool, name, at) => pool`
      insert into commerce.api_key (id, account, merchant, name, hash, prefix, scopes, addresses, created_at,
        expires_at, revoked_at)
      values (${hash(name).slice(2, 12)}, ${ANN}, ${ANN}, 'x', sha256('x'), 'x', '{x}', '{}', ${at},
        ${at}::timestamptz + interval '900 days', ${at})`,
  },
  'members.forget': {
    table: 'team_member',
    insert: (pool, name, at) => pool`
      insert into commerce.team_member (id, merchant, account, role, status, invited_at, removed_at)
      values (${name}, ${ANN}, ${hash(name).slice(0, 42)}, 'viewer', 'removed', ${at}, ${at})`,
  },
  'audit-log.forget': {
    table: 'audit_entry',
    insert: (pool, name, at) => entry(pool, name, at),
  },
};

function intent(state: string): Insert {
  return async (pool, name, at) => {
    await pool`
      insert into commerce.checkout_intent (id, buyer, order_key, request_hash, campaign_id, sku_hash, token,
        amount, min_policy_version, state, created_at, updated_at, expires_at, terms_hash)
      values (${name}, ${ANN}, ${hash(name)}, sha256('x'), 1, ${hash('sku')}, '{}', 1, 1, ${state}, ${at}, ${at},
        ${at}, ${hash('terms')})`;
    await pool`
      insert into commerce.checkout_transaction (intent_id, hash, attached_at)
      values (${name}, ${hash(name)}, ${at})`;
  };
}

/** Details of a purchase that expires so long after them: an order that is not looked at before its time. */
function details(later: string): Insert {
  return async (pool, name, at) => {
    await intent('created')(pool, name, at);
    await pool`
      update commerce.checkout_intent set expires_at = ${at}::timestamptz + ${later}::interval where id = ${name}`;
    await pool`
      insert into commerce.buyer_details (intent_id, buyer, merchant, sealed, sealed_by, kinds, given_at, updated_at)
      values (${name}, ${ANN}, ${BEN}, decode(repeat('00', 30), 'hex'), '', '{}', ${at}, ${at})`;
  };
}

/** Changes a row as a member of ANN's team, so that the log gets an entry of that time. */
async function entry(pool: Pool, name: string, at: Date): Promise<void> {
  const change = { merchant: ANN, actor: ANN, role: 'owner', action: 'x', at: at.getTime() };
  await pool.begin(async (sql) => {
    await sql`select commerce.begin_change(${sql.json(change)})`;
    await sql`
      insert into commerce.campaign_draft (merchant, id, version, draft)
      values (${ANN}, ${name}, 1, '{}')`;
  });
}

describe('the deletion of rows by their age', () => {
  let database: { url: string; drop(): Promise<void> };
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max: 2 });
    await migrate(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const run = (name: string, now = NOW) => {
    const log = { info() {}, warn() {}, error() {} };
    const queue = { pushReport: async () => {}, pushChore: async () => {} };
    return runChore({ pool, files: undefined as never, queue, log, clock: () => now }, name);
  };

  const countOf = async (table: string) => {
    const [row] = await pool`select count(*)::int as count from ${pool(`commerce.${table}`)}`;
    return Number(row?.count);
  };

  it('runs a task for every rule of the table', () => {
    const missing = Object.keys(retention).filter((name) => chores[name] === undefined);
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(cases))(
    '%s deletes old rows and no others',
    async (name, { table, insert }) => {
      const limit = NOW - retention[name as RetentionTask].days * DAY;
      // The day of a visitor ends at midnight.
      const before = new Date(limit - DAY);
      const after = new Date(limit + (name === 'opens.forget' ? 0 : DAY / 24));
      const start = await countOf(table);
      for (const [index, at] of [before, before, after].entries()) {
        await insert(pool, `${name.replace(/[^a-z]/g, '')}${index}`, at);
      }
      await run(name);
      expect(await countOf(table)).toBe(start + 1);
      await run(name);
      expect(await countOf(table)).toBe(start + 1);
    },
  );

  it('deletes more rows than one statement does', async () => {
    await pool`
      insert into commerce.sign_in_nonce (slot, nonce, expires_at)
      select 10000 + n, 'manynonces' || n, to_timestamp(0) from generate_series(1, 2500) n`;
    await run('sign-in-nonces.forget');
    expect(await countOf('sign_in_nonce')).toBe(1);
  });

  it('leaves an audit log that can be checked, whose remaining entries cannot be removed unseen', async () => {
    expect(await countOf('audit_entry')).toBe(1);
    await entry(pool, 'newest', new Date(NOW));
    expect(await checkAuditLogs(pool)).toEqual([]);
    const oldest = pool`(select min(number) from commerce.audit_entry where merchant = ${ANN})`;
    await pool`delete from commerce.audit_entry where merchant = ${ANN} and number = ${oldest}`;
    expect(await checkAuditLogs(pool)).toMatchObject([{ merchant: ANN }]);
    await pool`delete from commerce.audit_entry where merchant = ${ANN}`;
    expect(await checkAuditLogs(pool)).toMatchObject([{ merchant: ANN }]);
  });

  it('leaves an audit log that can be checked if all of its entries were old', async () => {
    await pool`delete from commerce.audit_head where merchant = ${ANN}`;
    await entry(pool, 'first', new Date(NOW));
    await run('audit-log.forget', NOW + 800 * DAY);
    expect(await countOf('audit_entry')).toBe(0);
    expect(await checkAuditLogs(pool)).toEqual([]);
    await entry(pool, 'second', new Date(NOW));
    expect(await checkAuditLogs(pool)).toEqual([]);
  });

  it('keeps the row of a merchant that was removed from its own team, which would be its owner otherwise', async () => {
    const old = new Date(NOW - 800 * DAY);
    await pool`
      insert into commerce.team_member (id, merchant, account, role, status, invited_at, removed_at)
      values ('own', ${BEN}, ${BEN}, 'admin', 'removed', ${old}, ${old})`;
    await run('members.forget');
    expect(await pool`select id from commerce.team_member where account = ${BEN}`).toHaveLength(1);
  });
});
