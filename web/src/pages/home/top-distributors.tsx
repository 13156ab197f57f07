import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { distributorColumns } from '../../components/distributor-columns.tsx';
import { Empty } from '../../components/empty.tsx';

const SHOWN = 5;
const columns = distributorColumns.filter(({ name }) => name !== 'Record');

/** The distributors with the best record. */
export function TopDistributors() {
  const query = useApi(['distributors.list'], api.distributors.list, { limit: SHOWN });
  return (
    <Card
      title="Top distributors"
      aside={<Link href={pathOf('distributors')}>All distributors</Link>}
    >
      <Answered query={query} what="distributors">
        {({ data }) =>
          data.items.length === 0 ? (
            <Empty>There is no distributor yet.</Empty>
          ) : (
            <DataTable
              caption="Top distributors"
              rows={data.items}
              rowKey={({ address }) => address}
              columns={columns}
            />
          )
        }
      </Answered>
    </Card>
  );
}
