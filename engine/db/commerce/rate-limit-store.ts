import type { Pool } from '../connection.ts';

/** The interface that rate-limiter-flexible expects of PostgreSQL: node-postgres's `query`. */
export interface RateLimitStore {
  query(statement: {
    readonly text: string;
    readonly values?: readonly (string | number | null)[];
  }): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number }>;
}

/** The pool as a store of `commerce.rate_limit`. */
export function rateLimitStore(pool: Pool): RateLimitStore {
  return {
    async query({ text, values = [] }) {
      const rows = await pool.unsafe(text, [...values], { prepare: true });
      return { rows: [...rows], rowCount: rows.count };
    },
  };
}
