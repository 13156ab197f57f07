import { Link } from 'wouter';
import type { Client } from '../../../../engine/client/index.ts';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, usePages } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { EventTable } from '../../components/event-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf, Finality } from '../../components/finality.tsx';
import { Hash } from '../../components/hash.tsx';
import { NoSuchPage } from '../../components/no-such-page.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits, shortHex, words } from '../../format.ts';

type Transaction = DataOf<Client['transactions']['get']>;

const PAGE = 25;

const statuses: Readonly<Record<Transaction['status'], string>> = {
  settled: 'Its events are in the ledger.',
  included:
    'A block has it; the ledger does not have its events yet. Load this page again in a moment.',
  reverted: 'It failed: it changed nothing.',
  unrelated: 'It has no event of this contract.',
  pending: 'No block has it yet.',
};

/** Events of a transaction in the contract. */
export function TransactionPage({ hash }: { readonly hash: string }) {
  if (!isHash(hash)) {
    return (
      <NoSuchPage what="This is no hash of a transaction." hint="It has 0x and 64 hex digits." />
    );
  }
  return <Found hash={hash} />;
}

function isHash(text: string): text is `0x${string}` {
  return /^0x[0-9a-f]{64}$/i.test(text);
}

function Found({ hash }: { readonly hash: `0x${string}` }) {
  const pages = usePages(['transactions.get'], api.transactions.get, { hash, limit: PAGE });
  const { first, meta } = pages;
  return (
    <>
      <PageHead
        title={`Transaction ${shortHex(hash)}`}
        kind={<Breadcrumbs above={[['Sales', pathOf('sales')]]} here={shortHex(hash)} />}
      >
        <p>
          <Hash value={hash} label="transaction hash" whole href={first?.explorerUrl} />
        </p>
        <AsOf meta={meta} />
      </PageHead>
      <Cards>
        {first && <About transaction={first} />}
        <Card title="Events">
          <EventTable
            caption="Events of the transaction"
            pages={pages}
            empty="The ledger has no event of this transaction."
          />
        </Card>
      </Cards>
    </>
  );
}

function About({ transaction }: { readonly transaction: Transaction }) {
  const { status, blockNumber, at, finality } = transaction;
  return (
    <Card
      title="State"
      aside={<Badge tone={status === 'settled' ? 'good' : 'plain'}>{words(status)}</Badge>}
    >
      <Facts
        facts={[
          ['Meaning', statuses[status]],
          [
            'Block',
            blockNumber !== null && (
              <Link href={pathOf('block', { number: blockNumber })}>
                {groupDigits(blockNumber)}
              </Link>
            ),
          ],
          ['Time', at && <Time at={at} />],
          ['Finality of the block', blockNumber !== null && <Finality value={finality} />],
        ]}
      />
    </Card>
  );
}
