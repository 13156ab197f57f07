import { ledgerTables } from '../../engine/db/ledger-tables.ts';

/** Column whose hash decides the node of a row. */
export const DISTRIBUTION_COLUMN = 'campaign_id';

/**
 * Tables that Citus would spread over nodes: those with the rows of single campaigns. The first is created
 * first, and the others have the rows of a campaign on the same node as it.
 */
export const distributedTables: readonly string[] = [
  'ledger.campaign',
  ...ledgerTables.map(({ name }) => `ledger.${name}`).filter((name) => name !== 'ledger.campaign'),
];

/** Tables that stay on the coordinator, for one reason. */
export interface LocalTables {
  readonly reason: string;
  readonly tables: readonly string[];
}

/** Every table that stays on the coordinator; `test/db/distribution.test.ts` compares them with the database. */
export const localTables: readonly LocalTables[] = [
  {
    reason: 'a batch locks several campaigns with one `for update skip locked`',
    tables: ['ledger.cursor'],
  },
  {
    reason: 'one order, or one state, over all campaigns',
    tables: [
      'ledger.audit',
      'ledger.audit_finding',
      'ledger.change',
      'ledger.deployment',
      'ledger.finality_tag',
      'ledger.head',
      'ledger.leader',
      'ledger.retracted_sale',
      'ledger.taken_back',
      'ledger.told',
      'ledger.trouble',
      'public.tributary_migration',
    ],
  },
  {
    reason: 'about a schema of the indexer, whose tables are on the coordinator too',
    tables: [
      'ledger.behind',
      'ledger.checked_block',
      'ledger.checked_head',
      'ledger.checked_log',
      'ledger.refused_campaign',
    ],
  },
  {
    reason: 'totals of an account over all campaigns',
    tables: [
      'commerce.distributor_ranking',
      'commerce.distributor_ranking_state',
      'ledger.merchant_partner',
    ],
  },
  {
    reason: 'found by an account, a merchant or a product; many have triggers or foreign keys',
    tables: [
      'commerce.alarm_decision',
      'commerce.api_key',
      'commerce.api_key_hour',
      'commerce.api_key_pepper',
      'commerce.api_key_request',
      'commerce.asset',
      'commerce.audit_entry',
      'commerce.audit_head',
      'commerce.backup',
      'commerce.campaign_draft',
      'commerce.campaign_metadata',
      'commerce.campaign_settings',
      'commerce.checkout_intent',
      'commerce.checkout_transaction',
      'commerce.chore',
      'commerce.deleted_file',
      'commerce.dispute',
      'commerce.dispute_message',
      'commerce.distributor',
      'commerce.idempotency_key',
      'commerce.invitation',
      'commerce.invoice',
      'commerce.link_label',
      'commerce.mail',
      'commerce.mail_account',
      'commerce.mail_confirmation',
      'commerce.mail_item',
      'commerce.merchant',
      'commerce.moderation',
      'commerce.moderation_log',
      'commerce.policy_template',
      'commerce.product',
      'commerce.product_version',
      'commerce.rate_limit',
      'commerce.referral_day',
      'commerce.referral_salt',
      'commerce.referral_visitor',
      'commerce.released_name',
      'commerce.report',
      'commerce.secret',
      'commerce.service_event',
      'commerce.session',
      'commerce.sign_in_nonce',
      'commerce.team_member',
      'commerce.webhook_attempt',
      'commerce.webhook_cursor',
      'commerce.webhook_delivery',
      'commerce.webhook_endpoint',
      'commerce.webhook_event',
    ],
  },
];

/** The statements that distribute a migrated database of a Citus coordinator whose nodes have been added. */
export function distributionSql(): string {
  const [first = '', ...others] = distributedTables;
  return [
    '-- Run on the coordinator after the migrations, before there are rows (docs/distributed-database.md).',
    'begin;',
    `select create_distributed_table('${first}', '${DISTRIBUTION_COLUMN}');`,
    ...others.map(
      (name) =>
        `select create_distributed_table('${name}', '${DISTRIBUTION_COLUMN}', colocate_with => '${first}');`,
    ),
    'commit;',
    '',
  ].join('\n');
}

/** The table of the page: where each table of the database is. */
export function distributionTable(): string {
  const distributed = `distributed by \`${DISTRIBUTION_COLUMN}\`, all co-located`;
  const rows = [
    [distributed, distributedTables, 'rows of one campaign; it begins every key'] as const,
    ...localTables.map(({ tables, reason }) => ['coordinator', tables, reason] as const),
  ];
  return [
    '| where | tables | why |',
    '| --- | --- | --- |',
    ...rows.map(([where, tables, why]) => `| ${where} | ${named(tables)} | ${why} |`),
    '',
  ].join('\n');
}

function named(tables: readonly string[]): string {
  return tables.map((name) => `\`${name}\``).join(', ');
}
