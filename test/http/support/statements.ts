import { z } from 'zod';
import { openPool, type Pool } from '../../../engine/db/connection.ts';
import type { ApiFixture } from './api-fixture.ts';

/** A statement that was sent to PostgreSQL. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** True if the API's connections plan it for any parameters (`readSettings`). */
  readonly isGeneric: boolean;
}

/** A node of a plan, as `explain (format json)` has it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly Schema?: string | undefined;
  readonly 'Relation Name'?: string | undefined;
  readonly 'Index Name'?: string | undefined;
  readonly 'Index Cond'?: string | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const PlanNode: z.ZodType<PlanNode> = z.looseObject({
  'Node Type': z.string(),
  Schema: z.string().optional(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Index Cond': z.string().optional(),
  get Plans() {
    return z.array(PlanNode).optional();
  },
});
const Explained = z.array(
  z.looseObject({ 'QUERY PLAN': z.array(z.looseObject({ Plan: PlanNode })) }),
);

/** True of a statement that reads or writes a table of ours. */
export const isOfTables = ({ text }: Pick<Statement, 'text'>): boolean =>
  /\b(commerce|ledger)"?\./.test(text);

/** Tables of one row. */
const ONE_ROW: ReadonlySet<unknown> = new Set(['head', 'finality_tag']);

/** Tables and indexes that a plan reads whole. What a limit ends early is not read whole. */
function wholeReads(node: PlanNode, limited = false): string[] {
  const type = node['Node Type'];
  const inner = (node.Plans ?? []).flatMap((plan) => wholeReads(plan, limited || type === 'Limit'));
  const isOwn = node.Schema === 'commerce' || node.Schema === 'ledger';
  if (ONE_ROW.has(node['Relation Name'])) return inner;
  if (type === 'Seq Scan' && isOwn) {
    return [`Seq Scan on ${node['Relation Name']}`, ...inner];
  }
  const isIndex = type === 'Index Scan' || type === 'Index Only Scan';
  // Holds stopped campaigns alone, which a read names all of.
  if (node['Index Name'] === 'cursor_stopped_campaign') return inner;
  if (isIndex && isOwn && node['Index Cond'] === undefined && !limited) {
    return [`whole ${type} of ${node['Index Name']}`, ...inner];
  }
  return inner;
}

/** A pool that records what is sent by it, and plans of the statements. */
export class StatementLog {
  readonly sent: Statement[] = [];
  readonly pool: Pool;
  /** Connections within a transaction of reads, in which the planner chooses the kind of plan. */
  readonly #reading = new Set<number>();

  constructor(private readonly fixture: Pick<ApiFixture, 'databaseUrl' | 'pool'>) {
    this.pool = openPool(fixture.databaseUrl, {
      max: 2,
      onStatement: (text, parameters, connection) => {
        if (text.startsWith('begin isolation level repeatable read')) this.#reading.add(connection);
        if (/^(commit|rollback)|'force_generic_plan'/i.test(text)) this.#reading.delete(connection);
        this.sent.push({ text, parameters, isGeneric: !this.#reading.has(connection) });
      },
    });
  }

  /** Plans of a statement: that for its parameters, and that for any if the API's connections use it. */
  async explain(statement: Statement): Promise<PlanNode[]> {
    const own = await this.planOf(statement, { generic: false });
    return statement.isGeneric ? [own, await this.planOf(statement, { generic: true })] : [own];
  }

  /**
   * Plans each distinct statement as if every table were large.
   * @returns the statements that read a table or an index whole, with what they read so.
   */
  async wholeReadsOf(statements: readonly Statement[]): Promise<[text: string, whole: string[]][]> {
    const distinct = new Map(statements.filter(isOfTables).map((one) => [one.text, one]));
    const found: [string, string[]][] = [];
    for (const statement of distinct.values()) {
      const whole = wholeReads(await this.planOf(statement, { generic: false, large: true }));
      if (whole.length > 0) found.push([statement.text, whole]);
    }
    return found;
  }

  /**
   * Plan of a statement for its parameters, or for any.
   * @param large true to plan as if every table were large: whole tables are scanned only if no index fits.
   */
  async planOf(
    { text, parameters }: Statement,
    { generic, large = false }: { readonly generic: boolean; readonly large?: boolean },
  ): Promise<PlanNode> {
    const rows = await this.fixture.pool.begin(async (sql) => {
      await sql`select set_config('random_page_cost', '1.1', true)`;
      if (large) {
        // Joins of small tables read both of them whole, whatever indexes there are.
        await sql`
          select set_config(name, 'off', true)
          from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin}'::text[]) name`;
      }
      if (generic) return await sql.unsafe(`explain (verbose, generic_plan, format json) ${text}`);
      return await sql.unsafe(`explain (verbose, format json) ${text}`, parameters);
    });
    const plan = Explained.parse([...rows])[0]?.['QUERY PLAN'][0]?.Plan;
    if (plan === undefined) throw new Error('explain answered no plan');
    return plan;
  }
}
