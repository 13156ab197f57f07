// What verification compares with the chain. One table covers every field of a receipt: the checks, the
// page, the command and docs/reference/api.md#verifying-a-receipt follow from it, and a field of the receipt's schema
// that is in neither half does not compile (engine/contract/shapes/receipt.ts).

/** Names of the checks of a sale, in the order of the result (docs/reference/api.md#verifying-a-receipt). */
export const checkNames = [
  'transaction',
  'sale',
  'attribution',
  'campaign',
  'policy',
  'path',
  'split',
  'transitions',
  'state',
  'rewards',
  'age',
] as const;
/** Name of a check of a sale. */
export type CheckName = (typeof checkNames)[number];

/** A field that a check compares with the chain. */
export interface Compared {
  readonly check: CheckName;
  /** True for texts, which are compared to the letter: "0xAB" and "0xab" are two regions. */
  readonly isText: boolean;
  /** True if `null` in the receipt says that the service does not know it, which no chain contradicts. */
  readonly isNullUnknown?: true;
}

/** A field that no check compares, with a sentence for the reader that says why. */
export interface NotCompared {
  readonly reason: string;
}

/** A table with an entry for each field of `T`; lists have one entry. */
export type CoverageOf<T> = { readonly [K in keyof T]-?: FieldCoverage<NonNullable<T[K]>> };

type FieldCoverage<T> =
  | Compared
  | NotCompared
  | (T extends readonly unknown[] ? never : T extends object ? CoverageOf<T> : never);

/** A table for fields of any name. */
export interface CoverageTable {
  readonly [field: string]: Compared | NotCompared | CoverageTable;
}

/** True if the entry is that of a field, and not a table of its members. */
export function isCompared(entry: CoverageTable[string]): entry is Compared {
  return 'check' in entry && typeof entry.check === 'string';
}

/** True if the entry says that no check compares the field. */
export function isNotCompared(entry: CoverageTable[string]): entry is NotCompared {
  return 'reason' in entry && typeof entry.reason === 'string';
}

function by(check: CheckName): Compared {
  return { check, isText: false };
}

function text(check: CheckName): Compared {
  return { check, isText: true };
}

function unlessUnknown(check: CheckName): Compared {
  return { check, isText: true, isNullUnknown: true };
}

function not(reason: string): NotCompared {
  return { reason };
}

const DESCRIBED = 'Its merchant’s own words. The chain has only skuHash, the hash of the SKU.';
const PROFILE = 'What the merchant calls itself. The chain has only its address.';

/** Each field of a receipt: the check that compares it, or why none does. */
export const receiptCoverage = {
  chainId: by('sale'),
  contractAddress: by('sale'),
  saleId: by('sale'),
  campaignId: by('sale'),
  buyer: by('sale'),
  nodeId: by('sale'),
  amount: by('sale'),
  skuHash: by('sale'),
  orderKey: by('sale'),
  attestation: by('sale'),
  attribution: { nodeId: by('attribution'), codes: unlessUnknown('attribution') },
  record: by('transaction'),
  recordedAt: by('transaction'),
  tx: {
    hash: by('transaction'),
    blockNumber: by('transaction'),
    at: by('transaction'),
    explorerUrl: not('A link to a block explorer that the service chose.'),
  },
  token: {
    address: by('campaign'),
    symbol: text('campaign'),
    decimals: by('campaign'),
    name: text('campaign'),
  },
  merchant: { address: by('campaign'), name: not(PROFILE), slug: not(PROFILE) },
  trustMode: by('campaign'),
  termsHash: by('campaign'),
  policy: {
    version: by('policy'),
    effectiveAt: by('policy'),
    rewardToken: by('policy'),
    commissionBps: by('policy'),
    perSaleCap: by('policy'),
    campaignLiabilityCap: by('policy'),
    maxRewardedAncestors: by('policy'),
    weightsBps: by('policy'),
    shortPathMode: by('policy'),
    holdSeconds: by('policy'),
    expiry: by('policy'),
    excludesSelfReferral: by('policy'),
    regions: text('policy'),
    sharingRules: text('policy'),
    eligibilityHash: by('policy'),
    policyHash: by('policy'),
  },
  path: by('path'),
  split: by('split'),
  missed: by('split'),
  transitions: by('transitions'),
  state: by('state'),
  refundedTotal: by('state'),
  holdUntil: by('state'),
  hold: by('state'),
  finalizedAt: by('state'),
  levels: by('rewards'),
  product: {
    skuHash: by('sale'),
    id: not(DESCRIBED),
    title: not(DESCRIBED),
    summary: not(DESCRIBED),
    category: not(DESCRIBED),
  },
  productVersion: not(DESCRIBED),
  variant: not(DESCRIBED),
  refundPolicy: not(DESCRIBED),
  finality: not(
    'How certain the service holds it to be that no reorg removes the sale. Compare its block with the finalized block of your RPC.',
  ),
  selfReferral: not('Follows from buyer and path, which are compared.'),
  discrepancies: not('What the service reports about its own ledger. The checks do without it.'),
} as const satisfies CoverageTable;

/** A field of a receipt, and how verification treats it, for people. */
export interface FieldRow {
  /** Path of the field, as `token.symbol`. */
  readonly field: string;
  /** The check that compares it; `undefined` if none does. */
  readonly check?: CheckName;
  /** Why no check compares it. */
  readonly reason?: string;
}

/** Every field of a receipt, those that are compared first, in the order of the checks. */
export function fieldRows(table: CoverageTable = receiptCoverage, at = ''): FieldRow[] {
  const rows = Object.entries(table).flatMap(([name, entry]): FieldRow[] => {
    const field = at === '' ? name : `${at}.${name}`;
    if (isCompared(entry)) return [{ field, check: entry.check }];
    return isNotCompared(entry) ? [{ field, reason: entry.reason }] : fieldRows(entry, field);
  });
  const rank = ({ check }: FieldRow) => (check ? checkNames.indexOf(check) : checkNames.length);
  return rows.sort((a, b) => rank(a) - rank(b));
}
