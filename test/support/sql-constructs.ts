import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import type { Sql } from '../../engine/db/connection.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Constructs of statements that a distributed database may refuse or treat in another way, by their name in
 * docs/distributed-database.md, with what they look like.
 */
const inStatements: Readonly<Record<string, RegExp>> = {
  'for update, for share': /\bfor (no key )?(update|share)\b/,
  'skip locked': /\bskip locked\b/,
  nowait: /\bnowait\b/,
  'lock table': /\block table\b/,
  'advisory locks of sessions': /\bpg_(try_)?advisory_(un)?lock\b/,
  'advisory locks of transactions': /\bpg_(try_)?advisory_xact_lock\b/,
  pg_locks: /\bpg_locks\b/,
  'listen, notify': /\bpg_notify\b|\bpool\.listen\(/,
  pg_current_snapshot: /\bpg_current_(snapshot|xact_id)\b|\bxmin\b/,
  'isolation level': /\bisolation level\b/,
  savepoint: /\bsavepoint\b/,
  'prepare transaction': /\bprepare transaction\b/,
  'with recursive': /\bwith recursive\b/,
  'data-modifying with': /\bas (not )?(materialized )?\(\s*(insert|update|delete|merge)\b/,
  merge: /\bmerge into\b/,
  'on conflict': /\bon conflict\b/,
  lateral: /\blateral\b/,
  'offset 0': /\boffset 0\b/,
  'rows of parameters': /\b(unnest|json_to_recordset|json_populate_recordset)\(/,
  'window functions': /\bover \(/,
  'with ties': /\bwith ties\b/,
  'grouping sets': /\b(grouping sets|rollup|cube) ?\(/,
  tablesample: /\btablesample\b/,
  copy: /\bcopy\b.*\b(from stdin|to stdout)\b/,
  cursors: /\bdeclare\b.*\bcursor\b|\.cursor\(/,
  'temporary tables': /\bcreate temporary table\b/,
  truncate: /\btruncate\b/,
  'create index concurrently': /\b(create|drop) (unique )?index concurrently\b/,
  'settings of a transaction': /\bset_config\(/,
  plan_cache_mode: /\bplan_cache_mode\b/,
  'division of integers': /\b(block_)?timestamp \/ \d/,
  'full-text search': /@@|\bto_tsquery\b/,
};

/** Names of the constructs that statements in files of `folder`, tests excepted, have. */
export async function statementConstructs(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const file of await readdir(join(root, folder), { recursive: true })) {
    if (/(?<!\.test)\.(ts|sql)$/.test(file))
      texts.push(...(await textsOf(join(root, folder, file))));
  }
  const plain = texts.map((text) => text.replace(/\s+/g, ' '));
  return Object.entries(inStatements)
    .filter(([, pattern]) => plain.some((text) => pattern.test(text)))
    .map(([name]) => name);
}

/** A migration, or the templates, strings and calls of a source file: its comments are left out. */
async function textsOf(path: string): Promise<string[]> {
  const content = await readFile(path, 'utf8');
  if (path.endsWith('.sql')) return [content.replace(/--.*/g, '')];
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node)) {
      texts.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)]
          .map(({ text }) => text)
          .join(' $ '),
      );
    } else if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isCallExpression(node)) texts.push(`${node.expression.getText(source)}(`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** Names of the constructs that the tables, indexes, triggers and functions of a migrated database have. */
export async function schemaConstructs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ construct: string }[]>`
    with ours as (
      select oid from pg_namespace where nspname in ('ledger', 'commerce', 'public')
    )
    select distinct construct from (
      select case contype when 'f' then 'foreign keys' when 'x' then 'exclusion constraints' end as construct
      from pg_constraint where connamespace in (select oid from ours)
      union all select 'deferrable constraints' from pg_constraint
      where connamespace in (select oid from ours) and condeferrable
      union all select am.amname || ' indexes' from pg_class c join pg_am am on am.oid = c.relam
      where c.relnamespace in (select oid from ours) and c.relkind in ('i', 'I') and am.amname <> 'btree'
      union all select 'partial indexes' from pg_index join pg_class c on c.oid = indrelid
      where c.relnamespace in (select oid from ours) and indpred is not null
      union all select 'indexes of expressions' from pg_index join pg_class c on c.oid = indrelid
      where c.relnamespace in (select oid from ours) and indexprs is not null
      union all select 'nulls not distinct' from pg_indexes
      where schemaname in ('ledger', 'commerce', 'public') and indexdef like '%NULLS NOT DISTINCT%'
      union all select case attgenerated when 's' then 'stored generated columns' when 'v' then 'virtual generated columns' end
      from pg_attribute join pg_class c on c.oid = attrelid where c.relnamespace in (select oid from ours)
      union all select 'identity columns' from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace in (select oid from ours) and attidentity <> ''
      union all select case when tgtype & 1 = 1 then 'row triggers' else 'statement triggers' end
      from pg_trigger join pg_class c on c.oid = tgrelid
      where c.relnamespace in (select oid from ours) and not tgisinternal
      union all select 'functions in ' || lanname from pg_proc join pg_language l on l.oid = prolang
      where pronamespace in (select oid from ours)
      union all select case when relpersistence = 'u' then 'unlogged tables' end from pg_class
      where relnamespace in (select oid from ours)
      union all select case relkind when 'v' then 'views' when 'm' then 'materialized views'
        when 'p' then 'partitioned tables' when 'S' then 'sequences' end from pg_class
      where relnamespace in (select oid from ours)
      union all select 'extension ' || extname from pg_extension where extname <> 'plpgsql'
    ) found where construct is not null`;
  return rows.map(({ construct }) => construct);
}
