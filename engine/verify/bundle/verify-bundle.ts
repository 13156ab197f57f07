import type { ReceiptFields } from '../../core/receipt.ts';
import type { CheckName } from '../../core/receipt-coverage.ts';
import { checkPath } from '../checks/path.ts';
import { checkPolicy } from '../checks/policy.ts';
import { checkSale } from '../checks/sale.ts';
import { checkState } from '../checks/state.ts';
import { compareReceipt } from '../compare.ts';
import { conclude, type FoundFields, verdictOf } from '../conclude.ts';
import { chainValues } from '../receipt-fields.ts';
import { checkBlocks } from './checks/blocks.ts';
import { checkCampaign } from './checks/campaign.ts';
import { checkContract } from './checks/contract.ts';
import { checkServedFields } from './checks/figures.ts';
import { checkProofs } from './checks/proofs.ts';
import { checkBundleSplit } from './checks/split.ts';
import { checkBundleTransitions } from './checks/transitions.ts';
import { neededLogs, type ProvenSale, saleIn } from './evidence.ts';
import { type BundleHeaders, readHeaders } from './headers.ts';
import { logsIn } from './logs.ts';
import { BundleFormatError, type ParsedBundle, parseBundle } from './parse.ts';
import { proveReceipts } from './prove.ts';
import { receiptOf } from './receipt.ts';
import {
  BUNDLE_FORMAT,
  type BundleCheck,
  type BundleCheckName,
  type BundleTrust,
  type BundleVerification,
  bundleCheckNames,
} from './types.ts';

/**
 * Verifies a receipt bundle (docs/reference/bundle.md) without a network, in Node and in browsers: headers against
 * the given block hashes, logs against the headers, the receipt against the logs. It never throws,
 * whatever the file holds.
 *
 * The verdict is `pass` only if the reader named the contract and vouches for every block with proofs.
 * Otherwise it is `unavailable`, and `blocks` says which blocks are open.
 *
 * @param file the file's bytes, or its text.
 * @example
 * verifyBundle(await file.bytes(), { blockHashes: ['0x…'], contractAddress: '0x…' })
 */
export function verifyBundle(file: string | Uint8Array, trust: BundleTrust): BundleVerification {
  try {
    return verifyParsed(parseBundle(file), trust);
  } catch (error) {
    if (error instanceof BundleFormatError) return unreadable(error.message);
    throw error;
  }
}

function verifyParsed(bundle: ParsedBundle, trust: BundleTrust): BundleVerification {
  const { chainId, contractAddress, saleId, receipt: served } = bundle;
  const headers = readHeaders(bundle, trust.blockHashes);
  const proven = proveReceipts(bundle.proofs, headers);
  const logs = logsIn(proven.receipts, contractAddress);
  const about = { chainId, contractAddress, saleId };
  const sale = saleIn(logs, headers, about);
  const receipt = sale && receiptOf(sale);
  const found = sale && foundIn(sale, { ...served, ...about });
  const checks: BundleCheck[] = [
    conclude('format', {
      pass: `The file of ${bundle.bytes} bytes is a ${BUNDLE_FORMAT} of sale ${saleId}.`,
      evidence: { format: BUNDLE_FORMAT, bundleHash: bundle.bundleHash, bytes: bundle.bytes },
    }),
    checkContract(bundle, trust),
    checkBlocks(headers, trust.blockHashes),
    checkProofs(proven, sale === undefined ? [] : neededLogs(sale)),
    ...(sale === undefined || found === undefined || proven.problems.length > 0
      ? noSale(bundle, proven.problems.length > 0)
      : [
          checkCampaign(sale, served.campaign),
          checkSale(sale.subject, found('sale')),
          checkPolicy(sale.subject, found('policy')),
          checkPath(sale.subject, found('path')),
          checkBundleSplit(sale, served.split),
          checkBundleTransitions(sale, served),
          checkState(sale.subject, found('state')),
          checkServedFields(receipt, served),
        ]),
  ];
  return { ...about, ...concluded(checks, headers.blocks), ...(receipt && { receipt }) };
}

/** Fields that a bundle's receipt has in common with a served one. `checkServedFields` compares all of them. */
const SHARED_FIELDS = [
  ...(['chainId', 'contractAddress', 'saleId', 'campaignId', 'buyer', 'nodeId', 'amount'] as const),
  ...(['skuHash', 'orderKey', 'policy', 'path', 'holdUntil', 'state', 'refundedTotal'] as const),
] as const satisfies readonly (keyof ReceiptFields)[];

function foundIn({ subject }: ProvenSale, served: object): (name: CheckName) => FoundFields {
  const compared = compareReceipt(chainValues(subject, undefined), served, SHARED_FIELDS);
  return (name) => ({
    differences: compared.differences.get(name),
    unread: compared.unread.get(name),
  });
}

function concluded(checks: readonly BundleCheck[], blocks: BundleHeaders['blocks']) {
  return { verdict: verdictOf(checks), checks, blocks };
}

/** The results if no proof shows the sale: one check says so, the others are `unavailable`. */
function noSale({ saleId, contractAddress }: ParsedBundle, unproven: boolean): BundleCheck[] {
  const names = bundleCheckNames.slice(bundleCheckNames.indexOf('campaign'));
  const problem = `No log of contract ${contractAddress} that is proven records sale ${saleId}.`;
  const missing = [unproven ? 'Without the proofs there are no logs to check.' : problem];
  return names.map((name) =>
    name === 'sale' && !unproven
      ? conclude(name, { pass: '', problems: [problem] })
      : conclude(name, { pass: '', missing }),
  );
}

function unreadable(problem: string): BundleVerification {
  const others: readonly BundleCheckName[] = bundleCheckNames.slice(1);
  const missing = ['There is no bundle to check.'];
  const checks = [
    conclude('format', { pass: '', problems: [problem] }),
    ...others.map((name) => conclude(name, { pass: '', missing })),
  ];
  return { chainId: null, contractAddress: null, saleId: null, ...concluded(checks, []) };
}
