import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, usePages } from '../../api.ts';
import { Card, Cards } from '../../components/card.tsx';
import { EventTable } from '../../components/event-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { Finality } from '../../components/finality.tsx';
import { Hash } from '../../components/hash.tsx';
import { NoSuchPage } from '../../components/no-such-page.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { count, groupDigits } from '../../format.ts';
import { useStatus } from '../../status.ts';
import styles from './block.module.css';

const PAGE = 25;

/** A settled block: its events, and the digest of the ledger after it. */
export function BlockPage({ number }: { readonly number: string }) {
  const settled = useStatus().data?.data.settled?.number;
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(number)) {
    return <NoSuchPage what={`${number} is no number of a block.`} />;
  }
  if (settled !== undefined && BigInt(number) > BigInt(settled)) {
    return (
      <NoSuchPage
        what={`Block ${groupDigits(number)} is not settled yet.`}
        hint={`The newest settled block is ${groupDigits(settled)}.`}
      />
    );
  }
  return <Found number={number} settled={settled} />;
}

interface FoundProps {
  readonly number: string;
  /** The newest block that has a page. */
  readonly settled: string | undefined;
}

function Found({ number, settled }: FoundProps) {
  const pages = usePages(['blocks.get'], api.blocks.get, { number, limit: PAGE });
  const { first } = pages;
  return (
    <>
      <PageHead
        title={`Block ${groupDigits(number)}`}
        kind={<Neighbours {...{ number, settled }} />}
      >
        {first && (
          <p>
            <Time at={first.timestamp} /> <Finality value={first.finality} />
          </p>
        )}
      </PageHead>
      <Cards>
        {first && (
          <Card title="Block">
            <Facts
              facts={[
                ['Hash', <Hash key="hash" value={first.hash} label="block hash" />],
                ['Events of this contract', count(first.events)],
                ['Campaigns in the ledger', count(first.campaigns)],
                [
                  'Digest of the ledger',
                  first.root && <Hash key="root" value={first.root} label="digest" />,
                ],
              ]}
            />
          </Card>
        )}
        <Card title="Events">
          <EventTable
            caption="Events of the block"
            pages={pages}
            empty="The contract did nothing in this block."
            withTransaction
          />
        </Card>
      </Cards>
    </>
  );
}

/** The blocks before and after it. */
function Neighbours({ number, settled }: FoundProps) {
  const before = BigInt(number) - 1n;
  const after = BigInt(number) + 1n;
  return (
    <nav aria-label="Other blocks" className={styles.neighbours}>
      {before >= 0n && <Link href={pathOf('block', { number: String(before) })}>‹ Previous</Link>}
      {settled !== undefined && after <= BigInt(settled) && (
        <Link href={pathOf('block', { number: String(after) })}>Next ›</Link>
      )}
    </nav>
  );
}
