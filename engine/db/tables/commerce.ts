/**
 * Every table and column of schema `commerce`, which the API owns, and what is stored about accounts
 * (docs/reference/privacy.md).
 */
import type { Address } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import type { DescribedTable, Table } from './table.ts';

/** Whose rows are meant. */
export interface Person {
  /** Lower case. */
  readonly account: Address;
  /** Equal to `account` if it owns its own team, as nearly every account does; otherwise `null`. */
  readonly merchant: Address | null;
}

/** Effect of a deletion of the account on its rows. */
export type OnDeletion =
  /** They are deleted. */
  | 'deleted'
  /** Some are deleted, or lose what is personal: `deleteAccount` says which. */
  | 'rewritten'
  /** They stay; `why` says why. */
  | 'stays';

/** A table whose rows may belong to an account. */
export interface PersonalTable extends Table {
  /** Columns about a person, or entered by one. An export has them. */
  readonly personal: string;
  /** Columns that open something, or hashes of those. They are never exported. */
  readonly secret?: string;
  /** All other columns. An export has them. */
  readonly operational: string;
  /** Columns that an export leaves out, because they repeat others or have no meaning outside. */
  readonly omitted?: string;
  /** Condition on the table: the row belongs to the person. */
  readonly belongsTo: (sql: Sql, person: Person) => Fragment;
  /** Text that identifies a row within the table, and orders an export. */
  readonly key: (sql: Sql) => Fragment;
  readonly onDeletion: OnDeletion;
  /** Why rows stay, or which of them. */
  readonly why?: string;
}

/** A table without rows of one account: what its rows are says why no account has a part in them. */
export interface ServiceTable extends DescribedTable {
  readonly columns: string;
}

const ofAccount = (sql: Sql, { account }: Person) => sql`account = ${account}`;
const ofMerchant = (sql: Sql, { merchant }: Person) => sql`merchant = ${merchant}`;
const ofProfile = (sql: Sql, { merchant }: Person) => sql`merchant_id = (
  select profile.id from commerce.merchant profile where profile.address = ${merchant})`;
const ofProduct = (sql: Sql, { merchant }: Person) => sql`product_id in (
  select product.id from commerce.product
  join commerce.merchant profile on profile.id = product.merchant_id
  where profile.address = ${merchant})`;
const ofKey = (sql: Sql, { account }: Person) => sql`key_id in (
  select owned.id from commerce.api_key owned where owned.account = ${account})`;
const byId = (sql: Sql) => sql`id`;
const byAccount = (sql: Sql) => sql`account`;

/** Those with rows of accounts are in an order in which they can be deleted: rows before those that they refer to. */
export const commerce = {
  session: {
    personal: 'id address user_agent created_at last_seen_at expires_at',
    secret: 'token_hash confirmation_hash',
    operational: 'confirmed_until',
    belongsTo: (sql, { account }) => sql`address = ${account}`,
    key: byId,
    onDeletion: 'deleted',
  },
  idempotency_key: {
    personal: 'account key started_at data meta',
    secret: 'request_hash',
    operational: 'is_stored',
    // The response to a request, which other rows have.
    omitted: 'data meta',
    belongsTo: ofAccount,
    key: (sql) => sql`key`,
    onDeletion: 'deleted',
  },
  mail_account: {
    personal: 'account address confirmed_at kinds undeliverable_at',
    secret: 'unsubscribe_token',
    operational: 'after_block failures',
    belongsTo: ofAccount,
    key: byAccount,
    onDeletion: 'deleted',
  },
  mail_item: {
    personal: 'account event_id kind campaign_id sale_id amount subject_id at mail_id',
    operational: 'number block_number block_hash log_index stored_at',
    belongsTo: ofAccount,
    key: (sql) => sql`event_id || ' ' || kind`,
    onDeletion: 'deleted',
  },
  mail_confirmation: {
    personal: 'account mailbox mail_id created_at expires_at used_at refused_at',
    secret: 'token_hash sealed_token',
    operational: '',
    belongsTo: ofAccount,
    key: (sql) => sql`mail_id`,
    onDeletion: 'rewritten',
    why: 'The mailbox stays without the account for a day, or for 30 if its owner refused mails: this limits mails to it.',
  },
  mail: {
    personal: 'id account address status created_at finished_at',
    operational: 'attempt smtp_code next_attempt_at lease_until',
    belongsTo: ofAccount,
    key: byId,
    onDeletion: 'rewritten',
    why: 'Mails that asked to confirm an address stay as long as their request, without account and address.',
  },
  webhook_attempt: {
    personal: 'delivery_id attempt at http_status error excerpt',
    operational: 'latency_ms',
    belongsTo: (sql, { account }) => sql`delivery_id in (
      select delivery.id from commerce.webhook_delivery delivery
      join commerce.webhook_endpoint endpoint on endpoint.id = delivery.endpoint_id
      where endpoint.owner = ${account})`,
    key: (sql) => sql`delivery_id || ' ' || attempt`,
    onDeletion: 'deleted',
  },
  webhook_delivery: {
    personal: 'id endpoint_id event_number status http_status created_at finished_at',
    operational: 'campaign_id block_number finality is_replay attempt next_attempt_at lease_until',
    belongsTo: (sql, { account }) => sql`endpoint_id in (
      select endpoint.id from commerce.webhook_endpoint endpoint where endpoint.owner = ${account})`,
    key: byId,
    onDeletion: 'deleted',
  },
  webhook_endpoint: {
    personal: 'id owner url events enabled created_at',
    secret: 'secret old_secret',
    operational:
      'is_ordered old_secret_expires_at after_block failing_since failures paused_until disabled_reason',
    belongsTo: (sql, { account }) => sql`owner = ${account}`,
    key: byId,
    onDeletion: 'deleted',
  },
  api_key_request: {
    personal: 'key_id at method path campaign_id request_id status',
    operational: 'number latency_ms',
    belongsTo: ofKey,
    key: (sql) => sql`number::text`,
    onDeletion: 'deleted',
  },
  api_key_hour: {
    personal: 'key_id at status_class campaign_id count',
    operational: '',
    belongsTo: ofKey,
    key: (sql) => sql`concat_ws(' ', key_id, at, status_class, campaign_id)`,
    onDeletion: 'deleted',
  },
  api_key: {
    personal:
      'id account merchant name scopes addresses created_at last_used_at expires_at revoked_at',
    secret: 'hash',
    operational: 'prefix',
    belongsTo: ofAccount,
    key: byId,
    onDeletion: 'deleted',
  },
  team_member: {
    personal: 'id merchant account role status invited_at joined_at removed_at',
    operational: '',
    belongsTo: (sql, { account, merchant }) =>
      sql`(account = ${account} or merchant = ${merchant})`,
    key: byId,
    onDeletion: 'deleted',
  },
  audit_entry: {
    personal: 'merchant number at_ms actor role resource action',
    operational: 'id before_hash after_hash',
    belongsTo: (sql, { account }) => sql`"left"(actor, 42) = ${account}`,
    key: (sql) => sql`merchant || ' ' || lpad(number::text, 20, '0')`,
    onDeletion: 'stays',
    why: 'Entries of a team prove each other by hashes. They have addresses, names of methods and hashes, and no content.',
  },
  link_label: {
    personal: 'owner campaign_id node_id label updated_at',
    operational: '',
    belongsTo: (sql, { account }) => sql`owner = ${account}`,
    key: (sql) => sql`campaign_id || ' ' || node_id`,
    onDeletion: 'deleted',
  },
  distributor: {
    personal: 'address handle display_name visibility updated_at',
    operational: '',
    belongsTo: (sql, { account }) => sql`address = ${account}`,
    key: (sql) => sql`address`,
    onDeletion: 'deleted',
  },
  released_name: {
    personal: 'name address released_at kind',
    operational: '',
    belongsTo: (sql, { account }) => sql`address = ${account}`,
    key: (sql) => sql`kind || ' ' || name`,
    onDeletion: 'stays',
    why: 'For 30 days no other account may have a handle, slug or name of it, so that none can pass for it.',
  },
  checkout_transaction: {
    personal: 'intent_id hash sender nonce status attached_at',
    operational: '',
    belongsTo: (sql, { account }) => sql`intent_id in (
      select intent.id from commerce.checkout_intent intent where intent.buyer = ${account})`,
    key: (sql) => sql`intent_id || ' ' || hash`,
    onDeletion: 'deleted',
  },
  signed_order: {
    personal: 'intent_id campaign_id buyer order_key payment state reason created_at',
    // The signatures buy something, and are worth nothing after the deadline.
    secret: 'data',
    operational: 'merchant deadline recorded_block tried_at closed_at updated_at',
    belongsTo: (sql, { account }) => sql`buyer = ${account}`,
    key: (sql) => sql`intent_id`,
    onDeletion: 'deleted',
  },
  buyer_details: {
    personal: 'intent_id buyer merchant sealed kinds given_at updated_at',
    operational: 'sealed_by is_paid',
    belongsTo: (sql, { account }) => sql`buyer = ${account}`,
    key: (sql) => sql`intent_id`,
    onDeletion: 'deleted',
  },
  checkout_intent: {
    personal:
      'id buyer order_key campaign_id node_id sku_hash token amount asks state created_at cancelled_at',
    secret: 'request_hash',
    operational: 'min_policy_version updated_at expires_at terms_hash node_owner',
    belongsTo: (sql, { account }) => sql`buyer = ${account}`,
    key: byId,
    onDeletion: 'deleted',
  },
  dispute_message: {
    personal: 'id dispute_id author body sent_at',
    operational: '',
    belongsTo: (sql, { account, merchant }) => sql`dispute_id in (
      select dispute.id from commerce.dispute
      where dispute.buyer = ${account} or dispute.merchant = ${merchant})`,
    key: byId,
    onDeletion: 'rewritten',
    why: 'The other party keeps the request and its own messages; the text of the account’s messages is deleted.',
  },
  dispute: {
    personal:
      'id campaign_id buyer order_key merchant reason requested_amount answer accepted_amount decline_reason opened_at answered_at',
    operational: 'hold_until refunded_before updated_at',
    belongsTo: (sql, { account, merchant }) => sql`(buyer = ${account} or merchant = ${merchant})`,
    key: byId,
    onDeletion: 'rewritten',
    why: 'The other party keeps the request, with its amounts; the text of the account’s answer is deleted.',
  },
  invitation: {
    personal:
      'id merchant campaign_id distributor message terms status reason created_at expires_at responded_at withdrawn_at',
    operational: 'number merchant_id policy_hash',
    belongsTo: (sql, { account, merchant }) =>
      sql`(distributor = ${account} or merchant = ${merchant})`,
    key: byId,
    onDeletion: 'deleted',
  },
  join_request: {
    personal: 'id merchant campaign_id distributor message status reason created_at answered_at',
    operational: 'number terms_hash',
    belongsTo: (sql, { account, merchant }) =>
      sql`(distributor = ${account} or merchant = ${merchant})`,
    key: byId,
    onDeletion: 'deleted',
  },
  report: {
    personal: 'id merchant kind format from_time to_time campaign_ids status rows size created_at',
    operational:
      'attempt lease_until block_number sha256 file_key error changed_at finished_at expires_at',
    omitted: 'file_key',
    belongsTo: (sql, { merchant }) => sql`(merchant = ${merchant} and status <> 'deleted')`,
    key: byId,
    onDeletion: 'rewritten',
    why: 'A worker deletes the files and the rows within hours.',
  },
  campaign_metadata: {
    personal: 'merchant content product_id product_version prepared_at',
    operational: 'metadata_hash draft_key',
    belongsTo: ofMerchant,
    key: (sql) => sql`metadata_hash`,
    onDeletion: 'rewritten',
    why: 'Of campaigns on the chain, which has the hash of the text: it proves to buyers what they bought.',
  },
  campaign_draft: {
    personal: 'merchant id draft created_at updated_at',
    operational: 'key version salt',
    belongsTo: ofMerchant,
    key: byId,
    onDeletion: 'deleted',
  },
  campaign_settings: {
    personal: 'campaign_id merchant name note listed one_signature updated_at',
    operational: '',
    belongsTo: ofMerchant,
    key: (sql) => sql`campaign_id::text`,
    onDeletion: 'rewritten',
    why: 'Whether lists show the campaign stays; name and note are deleted.',
  },
  policy_template: {
    personal: 'merchant_id id name policy updated_at',
    operational: '',
    belongsTo: ofProfile,
    key: byId,
    onDeletion: 'deleted',
  },
  invoice: {
    personal: 'id merchant_id period_from period_to amount currency status url',
    operational: '',
    belongsTo: ofProfile,
    key: byId,
    onDeletion: 'stays',
    why: 'Accounts of the service. It charges nothing, so it writes none.',
  },
  asset: {
    personal: 'id merchant_id product_id kind size sha256 content_type width height created_at',
    operational: 'key extension',
    omitted: 'key',
    belongsTo: ofProfile,
    key: byId,
    onDeletion: 'rewritten',
    why: 'Files of published products: buyers paid for them. All others are deleted, and a worker removes the files.',
  },
  product_version: {
    personal: 'product_id version body saved_at',
    operational: '',
    belongsTo: ofProduct,
    key: (sql) => sql`product_id || ' ' || lpad(version::text, 10, '0')`,
    onDeletion: 'rewritten',
    why: 'Versions of published products: they prove to buyers what they bought.',
  },
  product: {
    personal:
      'id merchant_id title summary outcome description category refund_policy fulfillment_mode deliverable access_timing price media cover_url cover_alt variants billing_period status token asks',
    operational: 'sku_hash version created_at updated_at words',
    omitted: 'words',
    belongsTo: ofProfile,
    key: byId,
    onDeletion: 'rewritten',
    why: 'Published products are archived: buyers paid for them. All others are deleted.',
  },
  merchant: {
    personal:
      'id address slug name created_at updated_at description website_url support_email logo closed_at',
    operational: 'words name_key',
    omitted: 'words name_key',
    belongsTo: (sql, { merchant }) => sql`address = ${merchant}`,
    key: byId,
    onDeletion: 'rewritten',
    why: 'Only if published products refer to it: then it is called “Deleted merchant”, and all else is empty.',
  },
  moderation_log: {
    personal: 'operator campaign_id action reason at',
    operational: 'id',
    belongsTo: (sql, { account }) => sql`operator = ${account}`,
    key: (sql) => sql`lpad(id::text, 20, '0')`,
    onDeletion: 'stays',
    why: 'What operators decided about others, and why.',
  },
  alarm_decision: {
    personal: 'key action level reason decided_by at',
    operational: 'id',
    belongsTo: (sql, { account }) => sql`decided_by = ${account}`,
    key: (sql) => sql`lpad(id::text, 20, '0')`,
    onDeletion: 'stays',
    why: 'What operators decided about alarms, and why.',
  },

  sign_in_nonce: {
    columns: 'slot nonce expires_at',
    what: 'Random numbers, given to anybody.',
    notInBackup: 'valid for minutes',
  },
  rate_limit: {
    columns: 'key points expire',
    what: 'Counters under keyed hashes of addresses. The API deletes them an hour after they expired.',
    notInBackup: 'counters of the last minutes',
  },
  referral_day: {
    columns: 'campaign_id node_id day opens visitors',
    what: 'Counts by link and day.',
  },
  referral_salt: {
    columns: 'day salt',
    what: 'Random key of one day.',
    notInBackup: 'deleted after a day, so that visitors cannot be linked later',
  },
  referral_visitor: {
    columns: 'day campaign_id node_id visitor opens',
    what: 'Keyed hashes that cannot be reversed once the day is over.',
    notInBackup: 'visitors of one day, under a salt that is deleted',
  },
  distributor_ranking: {
    columns:
      'address place settled direct refunded reversed pending merchants categories last_settled_at links first_link_at',
    what: 'Computed from the chain.',
    notInBackup: 'computed from the ledger',
  },
  distributor_ranking_state: {
    columns: 'singleton block_number block_hash block_timestamp computed_at duration_ms',
    what: 'State of the ranking.',
    notInBackup: 'computed from the ledger',
  },
  moderation: {
    columns: 'campaign_id hidden reason updated_at',
    what: 'Campaigns that operators hid.',
  },
  backup: {
    columns: 'id finished_at block_number bytes',
    what: 'Completed backups.',
    notInBackup: 'lists the backups of this database',
  },
  chore: {
    columns: 'name due_at started_at finished_at error',
    what: 'Background tasks.',
    notInBackup: 'workers create its rows again',
  },
  secret: { columns: 'id value created_at', what: 'Secrets of the deployment.' },
  api_key_pepper: { columns: 'singleton sealed', what: 'A secret of the deployment.' },
  audit_head: {
    columns: 'merchant number id deleted_number deleted_id',
    what: 'Newest entry of each audit log.',
  },
  webhook_event: {
    columns:
      'number id type campaign_id seq block_number block_hash log_index retracts retracted_by body at stored_at',
    what: 'Events, most of them of the chain. Deleted after 30 days.',
  },
  webhook_cursor: {
    columns: 'singleton epoch sequence recheck_at_block',
    what: 'State of webhooks.',
    isFilledByMigrations: true,
  },
  service_event: {
    columns: 'number id type accounts campaign_id subject_id amount at',
    what: 'Events that wait for their deliveries for 7 days at most.',
  },
  relayed_transaction: {
    columns:
      'hash intent_id merchant sender nonce attempt signed gas max_fee priority_fee status cost sent_at',
    what: 'Transactions of the relayer, and their costs. Deleted after 90 days.',
  },
  relayer: {
    columns:
      'address seen_at balance fee_per_gas max_fee_per_gas max_gas merchant_budget total_budget',
    what: 'Last report of the relayer.',
    notInBackup: 'the relayer writes it again within a minute',
  },
  gas_budget: { columns: 'merchant daily', what: 'Budgets of the relayer for merchants.' },
  deleted_file: { columns: 'key deleted_at', what: 'Names of files that a worker will remove.' },
} as const satisfies Readonly<Record<string, PersonalTable | ServiceTable>>;

/** Name of a table with rows of accounts. */
export type PersonalTableName = {
  [Name in keyof typeof commerce]: (typeof commerce)[Name] extends PersonalTable ? Name : never;
}[keyof typeof commerce];

const entries = Object.entries<PersonalTable | ServiceTable>(commerce);

/** Tables with rows of accounts, in an order in which they can be deleted. */
export const personalTables = entries.flatMap(([name, table]) =>
  'belongsTo' in table ? [[name as PersonalTableName, table] as const] : [],
);

/**
 * Tables without rows of accounts.
 * @internal for the tests of the catalogue and of docs/reference/privacy.md.
 */
export const serviceTables = entries.flatMap(([name, table]) =>
  'what' in table ? [[name, table] as const] : [],
);

/** True if a text is the name of a table with rows of accounts. */
export function isPersonalTable(name: string): name is PersonalTableName {
  return personalTables.some(([known]) => known === name);
}
