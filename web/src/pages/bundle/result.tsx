import { type ComponentProps, useMemo } from 'react';
import {
  type BundleTrust,
  type BundleVerification,
  verifyBundle,
} from '../../../../engine/verify/bundle/index.ts';
import { Badge } from '../../components/badge.tsx';
import { Checks } from '../../components/checks.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Hash } from '../../components/hash.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits, type Unit } from '../../format.ts';
import { Proven } from './proven.tsx';

interface ResultProps {
  readonly bytes: Uint8Array;
  readonly trust: BundleTrust;
}

const vouched = {
  given: { tone: 'good', word: 'by your hash' },
  linked: { tone: 'good', word: 'by a later block' },
  open: { tone: 'warn', word: 'not confirmed yet' },
} as const;

/** The checks of a bundle, the blocks that they rest on, and what is proven. */
export function Result({ bytes, trust }: ResultProps) {
  const key = JSON.stringify(trust);
  // The same words are the same trust: verifying takes a moment.
  const verification = useMemo(() => verifyBundle(bytes, JSON.parse(key)), [bytes, key]);
  const { verdict, checks, receipt } = verification;
  return (
    <div className="stack">
      <Checks
        what="This bundle"
        title={titleOf(verification)}
        verdict={verdict}
        checks={checks}
        token={tokenOf(receipt)}
      >
        <p>{about(verification)}</p>
      </Checks>
      <Blocks verification={verification} />
      {receipt && verdict !== 'fail' && <Proven receipt={receipt} />}
    </div>
  );
}

/** The title of a file that is no bundle, or about a contract that the reader does not expect. */
function titleOf({ saleId, checks }: BundleVerification): ComponentProps<typeof Checks>['title'] {
  if (saleId === null) return { text: 'This file is not a valid bundle', tone: 'bad' };
  const failed = checks.filter(({ status }) => status === 'fail');
  // Nothing speaks against the receipt itself.
  const isOther = failed.length === 1 && failed[0]?.name === 'contract';
  return isOther ? { text: 'This bundle is about another contract', tone: 'warn' } : undefined;
}

function tokenOf(receipt: BundleVerification['receipt']): Unit | undefined {
  if (receipt === undefined) return undefined;
  const { tokenSymbol, tokenDecimals } = receipt.campaign;
  return { symbol: tokenSymbol, decimals: tokenDecimals };
}

function about({ saleId, chainId, verdict, blocks }: BundleVerification): string {
  if (saleId === null) return 'The file cannot be read as a bundle.';
  const sale = `Sale ${saleId} of chain ${chainId}.`;
  const open = blocks.filter((block) => block.vouched === 'open').length;
  if (verdict !== 'unavailable' || open === 0) return sale;
  const those =
    open === blocks.length
      ? `None of the ${open} blocks`
      : `${open} of the ${blocks.length} blocks`;
  const is = open === blocks.length ? 'is' : 'are not';
  return `${sale} ${those} behind this receipt ${is} confirmed yet. Paste their hashes above.`;
}

function Blocks({ verification: { blocks } }: { readonly verification: BundleVerification }) {
  if (blocks.length === 0) return null;
  return (
    <div>
      <h3>Blocks behind the receipt</h3>
      <DataTable
        caption="Blocks behind the receipt"
        rows={blocks}
        rowKey={({ number }) => number}
        columns={[
          { name: 'Block', cell: ({ number }) => groupDigits(number) },
          { name: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
          { name: 'Hash', cell: ({ hash }) => <Hash value={hash} label="block hash" /> },
          {
            name: 'Confirmed',
            cell: (block) => (
              <Badge tone={vouched[block.vouched].tone}>{vouched[block.vouched].word}</Badge>
            ),
          },
        ]}
      />
    </div>
  );
}
