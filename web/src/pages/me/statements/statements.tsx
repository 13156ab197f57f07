import { useMutation } from '@tanstack/react-query';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { Issue } from '../../../components/issue.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { issueAt } from '../../../form-issues.ts';
import { saveCsv } from '../../../save-csv.ts';
import { periodName } from './all-periods.ts';
import { rangeOf } from './range.ts';

type Statement = DataOf<typeof api.statements.earnings>;
type TokenStatement = Statement['byToken'][number];

const intervals = [
  ['', 'Month'],
  ['day', 'Day'],
] as const;

const balances = [
  ['reserved', 'On hold or ready to finalize'],
  ['claimable', 'Claimable'],
  ['claimed', 'Claimed'],
] as const;

const movements = [
  ['earned', 'Earned'],
  ['refunded', 'Refunded'],
  ['vested', 'Became claimable'],
  ['claimed', 'Claimed'],
  ['reversed', 'Reversed'],
  ['missed', 'Missed'],
] as const;

/** Statements of the account: balances and what moved them, by day or month, and the same as a file. */
export function Statements() {
  const filters = useFilters('by', 'from', 'to');
  const interval: Statement['interval'] = filters.chosen('by', intervals) ?? 'month';
  const range = rangeOf(filters.get('from') ?? '', filters.get('to') ?? '');
  const input = { interval, range };
  const query = useApi([MINE, 'statements.earnings'], api.statements.earnings, input);
  const csv = useMutation({
    mutationFn: async (rows: 'periods' | 'lines') => {
      const { data } = await api.statements.csv({ ...input, rows });
      saveCsv(data.fileName, data.csv);
      return data;
    },
  });
  return (
    <Card title="Statements" aside={<AsOf meta={query.data?.meta} />}>
      <div className="stack">
        <FilterBar filters={filters}>
          <FilterSelect filters={filters} name="by" label="By" options={intervals} />
          <FilterText
            filters={filters}
            name="from"
            label="From"
            type="date"
            problem={issueAt(query.error, 'range.from')}
          />
          <FilterText
            filters={filters}
            name="to"
            label="To, included"
            type="date"
            problem={issueAt(query.error, 'range.to') ?? issueAt(query.error, 'range')}
          />
          <Button disabled={csv.isPending} onClick={() => csv.mutate('periods')}>
            Download as CSV
          </Button>
          <Button disabled={csv.isPending} onClick={() => csv.mutate('lines')}>
            Download every line
          </Button>
        </FilterBar>
        <p className="soft">
          Days and months are in UTC.{' '}
          {range === undefined && 'Without both dates: the last 12 months, or the last 30 days. '}
          <span role="status">{csv.data && `${csv.data.fileName} is saved.`}</span>
        </p>
        <Issue of={csv.error} />
        <Answered query={query} what="the statement">
          {({ data }) =>
            data.byToken.length === 0 ? (
              <Empty>You had no rewards in this time.</Empty>
            ) : (
              data.byToken.map((one) => (
                <TokenTable key={one.token.address} one={one} interval={data.interval} />
              ))
            )
          }
        </Answered>
      </div>
    </Card>
  );
}

interface TokenTableProps {
  readonly one: TokenStatement;
  readonly interval: Statement['interval'];
}

function TokenTable({ one, interval }: TokenTableProps) {
  const { token, opening, closing, periods } = one;
  const rows = periods.map((period) => ({ ...period, name: periodName(period.from, interval) }));
  // A column in which nothing ever happened is left out.
  const moved = movements.filter(([name]) => BigInt(one.movements[name]) > 0n);
  return (
    <section className="stack" aria-label={`Statement in ${token.symbol}`}>
      <h3>{token.name ?? token.symbol}</h3>
      <DataTable
        caption={`Movements in ${token.symbol}`}
        rows={[...rows, { ...one, name: 'Total' }]}
        rowKey={({ name }) => name}
        columns={[
          { name: interval === 'day' ? 'Day' : 'Month', cell: ({ name }) => name },
          ...moved.map(([name, label]) => ({
            name: label,
            numeric: true,
            cell: (row: { readonly movements: TokenStatement['movements'] }) => (
              <Amount value={row.movements[name]} token={token} />
            ),
          })),
        ]}
      />
      <DataTable
        caption={`Balances in ${token.symbol}`}
        rows={balances}
        rowKey={([name]) => name}
        columns={[
          { name: 'Balance', cell: ([, label]) => label },
          {
            name: 'At the beginning',
            numeric: true,
            money: ([name]) => ({ value: opening[name], token }),
          },
          {
            name: 'At the end',
            numeric: true,
            money: ([name]) => ({ value: closing[name], token }),
          },
        ]}
      />
    </section>
  );
}
