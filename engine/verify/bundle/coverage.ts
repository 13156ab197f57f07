import {
  type Compared,
  fieldRows,
  type NotCompared,
  type receiptCoverage,
} from '../../core/receipt-coverage.ts';
import { type BundleCheckName, bundleCheckNames } from './types.ts';

// What a bundle proves. The table of a receipt's fields is that of `receiptCoverage`: a field that
// verification compares and that has no entry here does not compile. The page and docs/reference/bundle.md follow from it.

/** A field that a bundle proves. */
interface Proven {
  readonly check: BundleCheckName;
  /** The member of the bundle that holds it, as `receipt.campaign.token`. */
  readonly member: string;
  /** The part of it that no bundle proves, as a sentence. */
  readonly except?: string;
}

/** Paths of the fields that verification compares with the chain, as `token.symbol`. */
type ComparedField<T, At extends string = ''> = {
  [K in keyof T & string]: T[K] extends Compared
    ? `${At}${K}`
    : T[K] extends NotCompared
      ? never
      : ComparedField<T[K], `${At}${K}.`>;
}[keyof T & string];

function by(check: BundleCheckName, member: string, except?: string): Proven {
  return { check, member, ...(except !== undefined && { except }) };
}

const LOCATION =
  'The hash of the transaction and the index in the block: receipts hold neither. An event has the index of its transaction and its position in the receipt.';
const LATER = 'What came after the newest event in the file.';

const provenFields: Readonly<Record<ComparedField<typeof receiptCoverage>, Proven | NotCompared>> =
  {
    chainId: {
      reason:
        'It is a label: no header names its chain. Know which chain your block hashes belong to.',
    },
    contractAddress: by('contract', 'contractAddress'),
    saleId: by('sale', 'saleId'),
    campaignId: by('sale', 'receipt.campaignId'),
    buyer: by('sale', 'receipt.buyer'),
    nodeId: by('sale', 'receipt.nodeId'),
    amount: by('sale', 'receipt.amount'),
    skuHash: by('sale', 'receipt.skuHash'),
    orderKey: by('sale', 'receipt.orderKey'),
    'attribution.nodeId': by('sale', 'receipt.nodeId'),
    'attribution.codes': { reason: 'Receipts do not hold the calldata of their transaction.' },
    attestation: by('transitions', 'receipt.transitions'),
    record: by('transitions', 'receipt.transitions', LOCATION),
    recordedAt: by('figures', 'receipt.soldAt'),
    'tx.hash': { reason: 'Receipts do not hold the hash of their transaction.' },
    'tx.blockNumber': by('transitions', 'receipt.transitions'),
    'tx.at': by('figures', 'receipt.soldAt'),
    'token.address': by('campaign', 'receipt.campaign.token'),
    'token.symbol': by('campaign', 'receipt.campaign.tokenSymbol'),
    'token.decimals': by('campaign', 'receipt.campaign.tokenDecimals'),
    'token.name': by('campaign', 'receipt.campaign.tokenName'),
    'merchant.address': by('campaign', 'receipt.campaign.merchant'),
    trustMode: by('campaign', 'receipt.campaign.trustMode'),
    termsHash: by('campaign', 'receipt.campaign.termsHash'),
    'policy.version': by(
      'policy',
      'receipt.policy.version',
      'That no newer version was in effect: the contract chose it, and the file has that one alone.',
    ),
    'policy.effectiveAt': by('policy', 'receipt.policy.effectiveAt'),
    'policy.rewardToken': by('policy', 'receipt.policy.rewardToken'),
    'policy.commissionBps': by('policy', 'receipt.policy.commissionBps'),
    'policy.perSaleCap': by('policy', 'receipt.policy.perSaleCap'),
    'policy.campaignLiabilityCap': by('policy', 'receipt.policy.campaignLiabilityCap'),
    'policy.maxRewardedAncestors': by('policy', 'receipt.policy.maxRewardedAncestors'),
    'policy.weightsBps': by('policy', 'receipt.policy.weightsBps'),
    'policy.shortPathMode': by('policy', 'receipt.policy.shortPathMode'),
    'policy.holdSeconds': by('policy', 'receipt.policy.holdSeconds'),
    'policy.expiry': by('policy', 'receipt.policy.expiry'),
    'policy.excludesSelfReferral': by('policy', 'receipt.policy.excludesSelfReferral'),
    'policy.regions': by('policy', 'receipt.policy.regions'),
    'policy.sharingRules': by('policy', 'receipt.policy.sharingRules'),
    'policy.eligibilityHash': by('policy', 'receipt.policy.eligibilityHash'),
    'policy.policyHash': by('policy', 'receipt.policy.policyHash'),
    path: by('path', 'receipt.path'),
    split: by(
      'split',
      'receipt.split',
      'The ledger before the sale (liabilityBefore, availableBefore). If poolBoundBy is ledger, how far it reduced the pool is the contract’s word; if it is policy, that the ledger covered the pool is.',
    ),
    'product.skuHash': by('sale', 'receipt.skuHash'),
    missed: {
      reason: 'What a cap cost follows from the ledger before the sale, which has no proof.',
    },
    transitions: by('transitions', 'receipt.transitions', LATER),
    state: by('state', 'receipt.state', LATER),
    refundedTotal: by('state', 'receipt.refundedTotal', LATER),
    holdUntil: by('state', 'receipt.holdUntil'),
    hold: {
      reason:
        'Its length is policy.holdSeconds, its end holdUntil. That it is over takes a newer block than the file has.',
    },
    finalizedAt: {
      reason:
        'It is not in the file: it is the time of the block of SaleFinalized, whose header is.',
    },
    levels: {
      reason:
        'They are not in the file: they follow from the split, the transitions and the claims.',
    },
  };

/** Members of a bundle that a receipt of the API does not have, by path. */
const ownMembers = {
  'receipt.campaign.metadataHash': 'campaign',
  'receipt.campaign.salt': 'campaign',
  'receipt.claims': 'transitions',
} as const satisfies Readonly<Record<string, BundleCheckName>>;

/** A field of a receipt, or a member of a bundle, and how a bundle proves it, for people. */
export interface BundleRow {
  /** Path of the field in a receipt, as `token.symbol`; of a member that only bundles have, its path in the file. */
  readonly field: string;
  /** The check that proves it; `undefined` if no bundle does. */
  readonly check?: BundleCheckName;
  /** The member of the file that holds it. */
  readonly member?: string;
  /** The part that no bundle proves: all of the field, or some of it. */
  readonly open?: string;
}

/** Every field of a receipt and every member of a bundle's receipt, in the order of the checks, then what is not proven. */
export function bundleRows(): BundleRow[] {
  const byField: Readonly<Record<string, Proven | NotCompared>> = provenFields;
  const fields = fieldRows().map(({ field, reason = '' }) => {
    return rowOf(field, byField[field] ?? { reason });
  });
  const own = Object.entries(ownMembers).map(([member, check]) => rowOf(member, { check, member }));
  const rank = ({ check }: BundleRow) =>
    check === undefined ? bundleCheckNames.length : bundleCheckNames.indexOf(check);
  return [...fields, ...own].sort((a, b) => rank(a) - rank(b));
}

function rowOf(field: string, entry: Proven | NotCompared): BundleRow {
  if ('reason' in entry) return { field, open: entry.reason };
  const { check, member, except } = entry;
  return { field, check, member, ...(except !== undefined && { open: except }) };
}

/** Fields that a bundle proves by the same check, with the same part left open. */
export interface BundleRowGroup extends Pick<BundleRow, 'check' | 'open'> {
  readonly fields: readonly string[];
}

/** The rows in their order, as groups: a table for people. */
export function bundleRowGroups(): BundleRowGroup[] {
  const groups = new Map<string, BundleRowGroup>();
  for (const { field, check, open } of bundleRows()) {
    const key = JSON.stringify([check, open]);
    const fields = [...(groups.get(key)?.fields ?? []), field];
    groups.set(key, { fields, ...(check && { check }), ...(open !== undefined && { open }) });
  }
  return [...groups.values()];
}
