import type { Sql } from '../../engine/db/connection.ts';

export const HASH = `0x${'ab'.repeat(32)}`;

/** Time of the settled block, unix seconds: the last second of 16 November 2023, UTC. */
export const LAST = 1_700_179_199;

/** Days over which the sales are spread, evenly. */
export const DAYS = 90;
export const HOLD_SECONDS = 9 * 86_400;

const CAMPAIGNS = 10;
/** Owners of nodes: 2,000 in each campaign, each of them in two. */
const OWNERS = 10_000;
const OWNERS_EACH = 2_000;

/** Sizes of a ledger, all of which follow from the number of its sales. */
export interface Shape {
  readonly campaigns: number;
  /** Sales, and nodes, of a campaign. */
  readonly each: number;
  /** Nodes of the one long path that a campaign begins with. */
  readonly deep: number;
  /** Sales that are recorded before a sale ends: ten days. */
  readonly lag: number;
  /** Owns the root that every tenth sale comes through; lower case. */
  readonly earner: string;
}

export function shapeOf(sales: number, earner: string): Shape {
  const each = Math.floor(sales / CAMPAIGNS);
  return {
    campaigns: CAMPAIGNS,
    each,
    deep: Math.min(1_000, Math.floor(each / 10)),
    lag: Math.floor(each / 9),
    earner,
  };
}

/** The owner of node `n` of campaign `c`. */
export function ownerOf(sql: Sql, { deep, earner }: Shape, n: ReturnType<Sql>) {
  return sql`ledger.bytes_of(case when ${n} = ${deep + 1}::bigint then ${earner}
    else '0x' || lpad(to_hex(1048576 + (c * 1000 + ${n} % ${OWNERS_EACH}::bigint)
      % ${OWNERS}::bigint), 40, '0') end)`;
}

/** A SKU of its own for each campaign `c`. */
export function skuOf(sql: Sql) {
  return sql`'0x' || lpad(to_hex(c), 64, '0')`;
}

/** One of a hundred merchants without sales, of campaign `c`. */
export function otherMerchant(sql: Sql) {
  return sql`'0x' || lpad(to_hex(2097152 + c % 100), 40, '0')`;
}
