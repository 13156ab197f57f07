import type { Sql } from '../connection.ts';
import { as, date, rowCodec, type StoredRow, text, type View } from '../row.ts';

/** The terms of a template, as the contract of the HTTP interface has them. */
export interface TemplatePolicy {
  readonly commissionBps: number;
  readonly perSaleCap?: string | undefined;
  readonly campaignLiabilityCap?: string | undefined;
  readonly maxRewardedAncestors: number;
  readonly weightsBps: number[];
  readonly shortPathMode?: 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED' | undefined;
  readonly holdSeconds: number;
  readonly excludesSelfReferral?: boolean | undefined;
  readonly regions?: string[] | undefined;
  readonly sharingRules?: string[] | undefined;
}

const templateRow = rowCodec({
  id: text,
  name: text,
  policy: as<TemplatePolicy>(),
  updatedAt: date,
});

/** A policy that a merchant keeps to start from. */
export type OwnTemplate = View<typeof templateRow>;

/** Templates that a merchant keeps at most. */
export const MAX_TEMPLATES = 100;

/** All templates of a merchant: few enough to be read together. */
export async function readTemplates(sql: Sql, merchantId: string): Promise<OwnTemplate[]> {
  const rows = await sql<StoredRow[]>`
    select ${templateRow.columns(sql, 'policy_template')} from commerce.policy_template
    where merchant_id = ${merchantId} limit ${MAX_TEMPLATES}`;
  return rows.map(templateRow.decode);
}

/** Writes a template by its id. The same content changes nothing. @returns it as it is stored. */
export async function saveTemplate(
  sql: Sql,
  merchantId: string,
  { id, name, policy, updatedAt }: OwnTemplate,
): Promise<OwnTemplate> {
  const [written] = await sql`
    insert into commerce.policy_template (merchant_id, id, name, policy, updated_at)
    values (
      ${merchantId}, ${id}, ${name}, ${sql.json({ ...policy })},
      ${updatedAt.toISOString()}::timestamptz
    )
    on conflict (merchant_id, id) do update set name = excluded.name, policy = excluded.policy,
      updated_at = excluded.updated_at
    where row (policy_template.name, policy_template.policy)
      is distinct from row (excluded.name, excluded.policy)
    returning 1`;
  const given = { id, name, policy, updatedAt };
  return written === undefined ? ((await readTemplate(sql, merchantId, id)) ?? given) : given;
}

/** A template of a merchant; `undefined` if it has none of that id. */
async function readTemplate(
  sql: Sql,
  merchantId: string,
  id: string,
): Promise<OwnTemplate | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${templateRow.columns(sql, 'policy_template')} from commerce.policy_template
    where merchant_id = ${merchantId} and id = ${id}`;
  return row && templateRow.decode(row);
}

/** @returns whether there was one. */
export async function deleteTemplate(sql: Sql, merchantId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from commerce.policy_template
    where merchant_id = ${merchantId} and id = ${id} returning 1`;
  return rows.length > 0;
}
