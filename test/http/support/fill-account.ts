import { account, hash } from '../../support/history.ts';
import type { ApiFixture } from './api-fixture.ts';

/**
 * Stores at least one row in every table with rows of accounts, for an account that has none. Every text that a person
 * could enter contains `mark`.
 * @param mark small letters and `-`; also the slug of the profile.
 */
export async function fillAccount(
  { pool, deps }: ApiFixture,
  address: `0x${string}`,
  mark: string,
): Promise<void> {
  const other = account(4_444);
  const key = hash(`fill ${mark}`);
  const at = new Date(deps.clock()).toISOString();
  const now = pool`${at}::timestamptz`;
  await deps.files.put(`media/${mark}-logo`, `logo of ${mark}`);
  await deps.files.put(`media/${mark}-download`, `download of ${mark}`);

  await pool`
    insert into commerce.idempotency_key (account, key, request_hash, started_at, data)
    values (${address}, ${`key ${mark}`}, sha256('x'), ${now}, ${mark})`;
  await pool`
    insert into commerce.mail_account (account, address, confirmed_at, kinds, unsubscribe_token, after_block)
    values (${address}, ${`${mark}@example.com`}, ${now}, '{report_ready}',
      translate(encode(sha256(${address}::bytea), 'base64'), '+/=', '-_'), 0)`;
  await pool`
    insert into commerce.mail (id, account, address, status, next_attempt_at, created_at)
    values (${`mail_${key}`}, ${address}, ${`${mark}@example.com`}, 'queued', ${now}, ${now}),
      (${`mail_old-${key}`}, ${address}, ${`${mark}@example.com`}, 'queued', ${now}, ${now})`;
  await pool`
    insert into commerce.mail_confirmation
      (mail_id, account, mailbox, token_hash, sealed_token, created_at, expires_at)
    values (${`mail_${key}`}, ${address}, ${`${mark}@example.com`}, sha256(${mark}::bytea), 'x', ${now}, ${now})`;
  await pool`
    insert into commerce.mail_item (account, event_id, kind, at, stored_at, mail_id)
    values (${address}, ${`evt_${mark}`}, 'report_ready', ${now}, ${now}, ${`mail_old-${key}`})`;

  await pool`
    insert into commerce.webhook_endpoint (id, owner, url, events, secret, after_block, created_at)
    values (${`hook-${mark}`}, ${address}, ${`https://${mark}.example`}, '{*}', 'x', 0, ${now})`;
  await pool`
    insert into commerce.webhook_event (id, type, body, at, stored_at)
    values (${`evt_${address}`}, 'webhook.test', '{}', ${now}, ${now})`;
  await pool`
    insert into commerce.webhook_delivery (id, endpoint_id, event_number, status, created_at)
    select ${`delivery-${mark}`}, ${`hook-${mark}`}, number, 'delivered', ${now}
    from commerce.webhook_event where id = ${`evt_${address}`}`;
  await pool`
    insert into commerce.webhook_attempt (delivery_id, attempt, at, latency_ms, excerpt)
    values (${`delivery-${mark}`}, 1, ${now}, 1, ${mark})`;

  const keyId = key.slice(2, 12);
  await pool`
    insert into commerce.api_key (id, account, merchant, name, hash, prefix, scopes, addresses, created_at)
    values (${keyId}, ${address}, ${address}, ${mark}, sha256('x'), 'tby', '{orders.read}', '{}', ${now})`;
  await pool`
    insert into commerce.api_key_hour values (${keyId}, ${now}, '2xx', '1', 3)`;
  await pool`
    insert into commerce.api_key_request
      (key_id, at, method, path, campaign_id, request_id, status, latency_ms)
    values (${keyId}, ${now}, 'GET', ${`/${mark}`}, '1', 'r', 200, 1)`;
  await pool`
    insert into commerce.team_member (id, merchant, account, role, status, invited_at, joined_at)
    values (${`self-${mark}`}, ${address}, ${address}, 'owner', 'active', ${now}, ${now}),
      (${`guest-${mark}`}, ${other}, ${address}, 'viewer', 'active', ${now}, ${now})`;
  await pool`
    insert into commerce.audit_entry
      (merchant, number, id, at_ms, actor, role, resource, action)
    values (${address}, 1, ${`entry-${mark}`}, 1, ${`${address} key:x`}, 'owner', ${`product:${mark}`}, 'x')`;

  await pool`
    insert into commerce.link_label values (${address}, 1, 1, ${mark}, ${now})`;
  await pool`
    insert into commerce.distributor (address, handle, display_name, visibility)
    values (${address}, ${`h-${mark}`}, ${mark}, 'public')`;
  await pool`
    insert into commerce.released_name (kind, name, address, released_at)
    values ('handle', ${`old-${mark}`}, ${address}, ${now})`;
  await pool`
    insert into commerce.checkout_intent (id, buyer, order_key, request_hash, campaign_id, sku_hash, token,
      amount, min_policy_version, created_at, updated_at, expires_at, terms_hash)
    values (${`intent-${mark}`}, ${address}, ${key}, sha256('x'), 1, ${key}, '{}',
      123456789012345678901234567890, 1, ${now}, ${now}, ${now}, ${key})`;
  await pool`
    insert into commerce.buyer_details (intent_id, buyer, merchant, sealed, sealed_by, kinds, given_at, updated_at)
    values (${`intent-${mark}`}, ${address}, ${other}, decode(repeat('00', 30), 'hex'), '', '{}', ${now}, ${now})`;
  await pool`
    insert into commerce.signed_order (intent_id, merchant, campaign_id, buyer, order_key, payment, data,
      deadline, created_at, updated_at)
    values (${`intent-${mark}`}, ${other}, 1, ${address}, ${key}, 'permit', '0x00', 1, ${now}, ${now})`;
  await pool`
    insert into commerce.checkout_transaction (intent_id, hash, attached_at)
    values (${`intent-${mark}`}, ${key}, ${now})`;

  await fillDisputes(pool, { address, other, mark, at });
  await fillProfile(pool, { address, other, mark, at });

  await pool`
    insert into commerce.moderation_log (campaign_id, action, reason, operator)
    values (99, 'hide', ${mark}, ${address})`;
  await pool`
    insert into commerce.alarm_decision (key, action, reason, decided_by)
    values ('x', 'acknowledge', ${mark}, ${address})`;
}

interface Filled {
  readonly address: `0x${string}`;
  readonly other: `0x${string}`;
  readonly mark: string;
  readonly at: string;
}

/** A request that the account made, and one that it declined. Neither has a sale on the chain. */
async function fillDisputes(
  pool: ApiFixture['pool'],
  { address, other, mark, at }: Filled,
): Promise<void> {
  const now = pool`${at}::timestamptz`;
  await pool`
    insert into commerce.dispute (id, campaign_id, buyer, order_key, merchant, hold_until, reason,
      requested_amount, refunded_before, answer, decline_reason, opened_at, updated_at, answered_at)
    values
      (${`asked-${mark}`}, 1, ${address}, ${hash(`asked ${mark}`)}, ${other}, 1, 'other', 5, 0, 'open', null,
        ${now}, ${now}, null),
      (${`declined-${mark}`}, 1, ${other}, ${hash(`declined ${mark}`)}, ${address}, 1, 'other', 5, 0, 'declined',
        ${`because ${mark}`}, ${now}, ${now}, ${now})`;
  await pool`
    insert into commerce.dispute_message (id, dispute_id, author, body, sent_at)
    values (${`m1-${mark}`}, ${`asked-${mark}`}, 'buyer', ${`body ${mark}`}, ${now}),
      (${`m2-${mark}`}, ${`asked-${mark}`}, 'merchant', 'text of the other party', ${now}),
      (${`m3-${mark}`}, ${`declined-${mark}`}, 'merchant', ${`body ${mark}`}, ${now})`;
}

/** A merchant profile with a published product and a draft, and all that a merchant may plan. */
async function fillProfile(
  pool: ApiFixture['pool'],
  { address, other, mark, at }: Filled,
): Promise<void> {
  const now = pool`${at}::timestamptz`;
  const id = hash(`profile ${mark}`);
  const logo = {
    ...{ id: `${mark}-logo`, kind: 'image', url: `https://shop.example/media/${mark}-logo` },
    ...{ size: 1, sha256: '0'.repeat(64) },
  };
  await pool`
    insert into commerce.merchant (id, address, slug, name, description, website_url, support_email, logo)
    values (${id}, ${address}, ${mark}, ${`Merchant ${mark}`}, ${`about ${mark}`}, ${`https://${mark}.example`},
      ${`help@${mark}.example`}, ${pool.json(logo)})`;
  for (const status of ['ready', 'draft']) {
    await pool`
      with saved as (
        insert into commerce.product (id, merchant_id, sku_hash, title, summary, outcome, description, category,
          refund_policy, fulfillment_mode, price, status)
        values (${`${status}-${mark}`}, ${id}, ${hash(`${status} ${mark}`)}, ${`title ${mark}`}, '', '', '', 'x', '',
          'download', 5, ${status}) returning *
      )
      insert into commerce.product_version (product_id, version, body, saved_at)
      select id, version, to_jsonb(saved) - 'words', updated_at from saved`;
  }
  await pool`
    insert into commerce.asset (id, merchant_id, product_id, kind, key, size, sha256, content_type, extension,
      width, height)
    values
      (${`${mark}-logo`}, ${id}, null, 'image', ${`media/${mark}-logo`}, ${`logo of ${mark}`.length},
        ${'0'.repeat(64)}, 'image/png', 'png', 1, 1),
      (${`${mark}-download`}, ${id}, ${`ready-${mark}`}, 'download', ${`media/${mark}-download`},
        ${`download of ${mark}`.length}, ${'0'.repeat(64)}, 'text/plain', 'txt', null, null)`;
  await pool`
    insert into commerce.policy_template values (${id}, ${`t-${mark}`}, ${mark}, '{}', ${now})`;
  await pool`
    insert into commerce.invoice values (${`invoice-${mark}`}, ${id}, ${now}, ${now} + interval '1 day', 0, 'EUR', 'paid')`;
  await pool`
    insert into commerce.campaign_draft (merchant, id, version, draft)
    values (${address}, ${`draft-${mark}`}, 1, ${pool.json({ name: mark })})`;
  await pool`
    insert into commerce.campaign_metadata (merchant, metadata_hash, content, product_id, product_version)
    values (${address}, ${hash(`metadata ${mark}`)}, ${mark}, ${`ready-${mark}`}, 1)`;
  await pool`
    insert into commerce.campaign_settings (campaign_id, merchant, name, note)
    values (99, ${address}, ${mark}, ${mark})`;
  await pool`
    insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message, terms,
      policy_hash, created_at, expires_at)
    values (${`invited-${mark}`}, ${address}, ${id}, 1, ${other}, ${mark}, '', ${hash('p')}, ${now},
      ${now} + interval '1 day')`;
  await pool`
    insert into commerce.join_request (id, merchant, campaign_id, terms_hash, distributor, message, created_at)
    values (${`asked-to-join-${mark}`}, ${other}, 1, ${hash('terms')}, ${address}, ${mark}, ${now})`;
  await pool`
    insert into commerce.report (id, merchant, kind, format, created_at, changed_at)
    values (${`report-${mark}`}, ${address}, 'sales', 'csv', ${now}, ${now})`;
}
