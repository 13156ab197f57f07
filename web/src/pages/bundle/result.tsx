import { useMemo } from 'react';
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
import { groupDigits } from '../../format.ts';
import styles from './bundle.module.css';
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
    <div className={styles.stack}>
      <Checks verdict={verdict} checks={checks}>
        <p>{about(verification)}</p>
      </Checks>
      <Blocks verification={verification} />
      {receipt && verdict !== 'fail' && <Proven receipt={receipt} />}
    </div>
  );
}

function about({ saleId, chainId, verdict, blocks }: BundleVerification): string {
  if (saleId === null) return 'The file cannot be read as a bundle.';
  const sale = `Sale ${saleId} of chain ${chainId}.`;
  const open = blocks.filter((block) => block.vouched === 'open').length;
  if (verdict !== 'unavailable' || open === 0) return sale;
  return `${sale} ${open} of the ${blocks.length} blocks behind this receipt are not confirmed yet: paste their hashes above.`;
}

function Blocks({ verification: { blocks } }: { readonly verification: BundleVerification }) {
  if (blocks.length === 0) return null;
  return (
    <div>
      <h3>The blocks that it rests on</h3>
      <DataTable
        caption="The blocks that the bundle rests on"
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
