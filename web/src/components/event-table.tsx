import { Link } from 'wouter';
import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf, Pages } from '../api.ts';
import { words } from '../format.ts';
import { AddressLink } from './address-link.tsx';
import type { TableColumn } from './data-table.tsx';
import styles from './event-table.module.css';
import { Hash } from './hash.tsx';
import { PagedTable } from './list.tsx';

type Event = DataOf<Client['blocks']['get']>['items'][number];

interface EventTableProps {
  readonly caption: string;
  readonly pages: Pages<Event>;
  readonly empty: string;
  /** Shows the transaction of each event, on a page of several. */
  readonly withTransaction?: boolean;
}

/** Events of the contract: what happened, in which campaign and sale, and to whom. */
export function EventTable({ caption, pages, empty, withTransaction = false }: EventTableProps) {
  const chainId = pages.meta?.chain?.chainId;
  return (
    <PagedTable
      caption={caption}
      pages={pages}
      empty={empty}
      rowKey={({ blockHash, logIndex }) => `${blockHash}/${logIndex}`}
      columns={[
        ...columns.slice(0, 2),
        { name: 'Sale', cell: ({ saleId }) => <SaleLink chainId={chainId} saleId={saleId} /> },
        ...columns.slice(2).filter(({ name }) => withTransaction || name !== TRANSACTION),
      ]}
    />
  );
}

interface SaleLinkProps {
  readonly chainId: number | undefined;
  readonly saleId: string | null;
}

function SaleLink({ chainId, saleId }: SaleLinkProps) {
  if (saleId === null || chainId === undefined) return '–';
  return <Link href={pathOf('receipt', { chainId, saleId })}>#{saleId}</Link>;
}

const TRANSACTION = 'Transaction';

const columns: readonly TableColumn<Event>[] = [
  { name: 'Event', cell: ({ name }) => sentence(words(name)) },
  {
    name: 'Campaign',
    cell: ({ campaignId }) => (
      <Link href={pathOf('campaign', { campaignId })}>Campaign {campaignId}</Link>
    ),
  },
  {
    name: 'Accounts',
    cell: ({ accounts }) => (
      <span className={styles.accounts}>
        {accounts.map((address) => (
          <AddressLink key={address} address={address} to="buyers" />
        ))}
      </span>
    ),
  },
  {
    name: TRANSACTION,
    cell: ({ tx }) => (
      <Hash
        value={tx.hash}
        label="transaction hash"
        to={pathOf('transaction', tx)}
        href={tx.explorerUrl}
      />
    ),
  },
  { name: 'Log', numeric: true, cell: ({ logIndex }) => logIndex },
];

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
