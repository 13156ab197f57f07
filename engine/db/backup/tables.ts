import type { Sql } from '../connection.ts';

/** Schemas whose tables a backup decides about; indexer and queue make their own again. */
const SCHEMAS = ['commerce', 'ledger', 'public'] as const;

/**
 * Tables that a backup always holds: nothing else has their rows. `test/db/backup-tables.test.ts` fails if a
 * table of the database is in none of the lists of this file.
 */
export const offChainTables = [
  'commerce.alarm_decision',
  'commerce.api_key',
  'commerce.api_key_hour',
  'commerce.api_key_pepper',
  'commerce.api_key_request',
  'commerce.asset',
  'commerce.audit_entry',
  'commerce.audit_head',
  'commerce.campaign_draft',
  'commerce.campaign_metadata',
  'commerce.campaign_settings',
  'commerce.checkout_intent',
  'commerce.checkout_transaction',
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
  'commerce.referral_day',
  'commerce.released_name',
  'commerce.report',
  'commerce.secret',
  'commerce.service_event',
  'commerce.session',
  'commerce.team_member',
  'commerce.webhook_attempt',
  'commerce.webhook_cursor',
  'commerce.webhook_delivery',
  'commerce.webhook_endpoint',
  'commerce.webhook_event',
] as const;

/** Tables that only a backup with the ledger holds: settlement can fold them again from the chain. */
export const ledgerBackupTables = [
  'ledger.account_sum',
  'ledger.attestation',
  'ledger.audit',
  'ledger.audit_finding',
  'ledger.bucket',
  'ledger.campaign',
  'ledger.change',
  'ledger.cohort_week',
  'ledger.credit',
  'ledger.cursor',
  'ledger.deployment',
  'ledger.depth_day',
  'ledger.discrepancy',
  'ledger.entry',
  'ledger.finality_tag',
  'ledger.head',
  'ledger.journal',
  'ledger.merchant_partner',
  'ledger.missed_reward',
  'ledger.node',
  'ledger.node_day',
  'ledger.permission',
  'ledger.policy',
  'ledger.price',
  'ledger.published_seq',
  'ledger.retracted_sale',
  'ledger.sale',
  'ledger.sale_day',
  'ledger.sale_level',
  'ledger.sale_version',
  'ledger.stale_publication',
] as const;

/** Tables that no backup holds, with the reason. */
export const omittedTables: Readonly<Record<string, string>> = {
  'commerce.backup': 'lists the backups of this database',
  'commerce.chore': 'workers create its rows again',
  'commerce.distributor_ranking': 'computed from the ledger',
  'commerce.distributor_ranking_state': 'computed from the ledger',
  'commerce.rate_limit': 'counters of the last minutes',
  'commerce.referral_salt': 'deleted after a day, so that visitors cannot be linked later',
  'commerce.referral_visitor': 'visitors of one day, under a salt that is deleted',
  'commerce.sign_in_nonce': 'valid for minutes',
  'ledger.behind': 'about a schema of the indexer',
  'ledger.checked_block': 'about a schema of the indexer',
  'ledger.checked_head': 'about a schema of the indexer',
  'ledger.checked_log': 'about a schema of the indexer',
  'ledger.feeder_error': 'written again at the next tick',
  'ledger.leader': 'the worker that leads takes a new row',
  'ledger.refused_campaign': 'about a schema of the indexer',
  'public.tributary_migration': 'the manifest names the migrations',
  'public.tributary_restore': 'the restore that made this database',
};

/** Former names of tables: a backup of an earlier version has them, and so has the database until its restore migrates it. */
const formerNames: Readonly<Record<string, string>> = {
  'ledger.feeder_error': 'ledger.trouble',
  'ledger.published_seq': 'ledger.told',
  'ledger.stale_publication': 'ledger.taken_back',
};

/** The tables that a backup may hold. A restore refuses any other. */
export function backupTables(withLedger: boolean): readonly string[] {
  return withFormerNames([...offChainTables, ...(withLedger ? ledgerBackupTables : [])]);
}

function withFormerNames(tables: readonly string[]): readonly string[] {
  return tables.flatMap((name) => [name, formerNames[name] ?? []].flat());
}

/** Tables that have rows after the migrations alone. */
const FILLED_BY_MIGRATIONS: ReadonlySet<string> = new Set(['commerce.webhook_cursor']);

/** A table to copy. */
export interface TableColumns {
  /** With its schema. */
  readonly name: string;
  /** Columns that are stored, without generated ones. */
  readonly columns: readonly string[];
}

/**
 * Tables of the database that a backup holds, each after the tables that its foreign keys name.
 * @throws {Error} if the database has a table that this version does not know.
 */
export async function tablesToCopy(sql: Sql, withLedger: boolean): Promise<TableColumns[]> {
  const known = new Set([...backupTables(true), ...withFormerNames(Object.keys(omittedTables))]);
  const wanted = new Set(backupTables(withLedger));
  const stored = await storedTables(sql);
  const unknown = stored.filter(({ name }) => !known.has(name) && !name.startsWith('public.'));
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ');
    throw new Error(`This version does not know ${names}: back up with the version that made it.`);
  }
  return inOrder(stored.filter(({ name }) => wanted.has(name)));
}

interface StoredTable extends TableColumns {
  /** Tables that its foreign keys name. */
  readonly needs: readonly string[];
}

/** Every table of Tributary in the database. */
export async function storedTables(sql: Sql): Promise<StoredTable[]> {
  return await sql<StoredTable[]>`
    select space.nspname || '.' || t.relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      ) as columns,
      array(
        select distinct other_space.nspname || '.' || other.relname from pg_constraint c
        join pg_class other on other.oid = c.confrelid
        join pg_namespace other_space on other_space.oid = other.relnamespace
        where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid
      ) as needs
    from pg_class t join pg_namespace space on space.oid = t.relnamespace
    where space.nspname = any(${[...SCHEMAS]}::text[]) and t.relkind in ('r', 'p')
    order by name`;
}

function inOrder(tables: readonly StoredTable[]): TableColumns[] {
  const ordered: TableColumns[] = [];
  const open = new Map(tables.map((table) => [table.name, table]));
  const add = (table: StoredTable): void => {
    if (!open.delete(table.name)) return;
    for (const name of table.needs) {
      const needed = open.get(name);
      if (needed !== undefined) add(needed);
    }
    ordered.push({ name: table.name, columns: table.columns });
  };
  for (const table of tables) add(table);
  return ordered;
}

/** Tables of `commerce` and `ledger` with rows that no migration wrote. */
export async function filledTables(sql: Sql): Promise<string[]> {
  const names = (await storedTables(sql))
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('public.') && !FILLED_BY_MIGRATIONS.has(name));
  const filled: string[] = [];
  for (const name of names) {
    const [row] = await sql`select 1 from ${sql(name)} limit 1`;
    if (row !== undefined) filled.push(name);
  }
  return filled;
}

/** A table with its columns, as COPY takes it. */
export function withColumns({ name, columns }: TableColumns): string {
  return `${quoted(name)} (${columns.map(quotedName).join(', ')})`;
}

/** The statement that reads a table's stored columns. */
export function selectColumns({ name, columns }: TableColumns): string {
  return `select ${columns.map(quotedName).join(', ')} from ${quoted(name)}`;
}

/** The quoted name of a table that is given with its schema. */
export function quoted(name: string): string {
  return name.split('.').map(quotedName).join('.');
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
