import type { Sql } from '../connection.ts';

/** The terms of a template, as the contract of the HTTP interface has them. */
export interface TemplatePolicy {
  readonly commissionBps: number;
  readonly perSaleCap?: string | undefined;
  readonly campaignLiabilityCap?: string | undefined;
  readonly maxRewardedAncestors: number;
  readonly weightsBps: number[];
  readonly shortPathMode?: 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED' | undefined;
  readonly holdSeconds: number;
  readonly regions?: string[] | undefined;
  readonly sharingRules?: string[] | undefined;
}

/** A policy that a merchant keeps to start from. */
export interface OwnTemplate {
  readonly id: string;
  readonly name: string;
  readonly policy: TemplatePolicy;
  readonly updatedAt: Date;
}

interface TemplateRow {
  id: string;
  name: string;
  policy: TemplatePolicy;
  updated_at: Date;
}

/** Templates that a merchant keeps at most. */
export const MAX_TEMPLATES = 100;

/** All templates of a merchant: few enough to be read together. */
export async function readTemplates(sql: Sql, merchantId: string): Promise<OwnTemplate[]> {
  const rows = await sql<TemplateRow[]>`
    select id, name, policy, updated_at from commerce.policy_template
    where merchant_id = ${merchantId} limit ${MAX_TEMPLATES}`;
  return rows.map(({ updated_at: updatedAt, ...row }) => ({ ...row, updatedAt }));
}

/** Writes a template by its id. */
export async function saveTemplate(
  sql: Sql,
  merchantId: string,
  { id, name, policy, updatedAt }: OwnTemplate,
): Promise<void> {
  await sql`
    insert into commerce.policy_template (merchant_id, id, name, policy, updated_at)
    values (
      ${merchantId}, ${id}, ${name}, ${sql.json({ ...policy })},
      ${updatedAt.toISOString()}::timestamptz
    )
    on conflict (merchant_id, id) do update set name = excluded.name, policy = excluded.policy,
      updated_at = excluded.updated_at`;
}
