import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable, type TableColumn } from '../../components/data-table.tsx';
import { words } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';

type Level = Receipt['levels'][number];

/** State of each share: held, released by a refund, vested, reversed. */
export function Rewards({ receipt }: { readonly receipt: Receipt }) {
  const { levels, token, refundedTotal } = receipt;
  const amount = (name: string, value: (level: Level) => string): TableColumn<Level> => ({
    name,
    numeric: true,
    money: (level) => ({ value: value(level), token }),
  });
  const columns: TableColumn<Level>[] = [
    { name: 'Level', cell: ({ level }) => level },
    {
      name: 'Recipient',
      cell: ({ recipient }) => <AddressLink address={recipient} to="distributors" />,
    },
    { name: 'State', cell: ({ state }) => <Badge tone="plain">{words(state)}</Badge> },
    amount('Share', ({ share }) => share),
    amount('Held', ({ reserved }) => reserved),
    amount('Released by refunds', ({ released }) => released),
    amount('Became claimable', ({ vested }) => vested),
    amount('Reversed', ({ reversed }) => reversed),
  ];
  return (
    <Card title="Rewards by level">
      <div className="stack">
        {refundedTotal !== '0' && (
          <p>
            The buyer was refunded <Amount value={refundedTotal} token={token} />. Each level
            released the same part of its share, rounded in the vault’s favour.
          </p>
        )}
        {levels.length === 0 ? (
          <p className="soft">No level has a share in this sale.</p>
        ) : (
          <DataTable
            caption="Rewards by level"
            columns={columns}
            rows={levels}
            rowKey={({ level }) => String(level)}
          />
        )}
      </div>
    </Card>
  );
}
