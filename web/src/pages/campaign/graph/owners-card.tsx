import { useMemo, useState } from 'react';
import { AddressLink } from '../../../components/address-link.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { count, countOf } from '../../../format.ts';
import styles from './graph.module.css';
import { ownersOf } from './owners.ts';
import type { GraphState } from './store.ts';

/** Accounts that are shown at a time. */
const PAGE = 10;

/** The distributors of the campaign, as far as their links are loaded. */
export function OwnersCard({ state: { forest, nodeCount } }: { readonly state: GraphState }) {
  const [shown, setShown] = useState(PAGE);
  const owners = useMemo(() => ownersOf(forest), [forest]);
  if (owners.length === 0) return null;
  const partly = nodeCount !== null && forest.nodes.size < nodeCount;
  return (
    <Card
      title="Distributors"
      aside={<span className="soft">{countOf(owners.length, 'account')}</span>}
    >
      <DataTable
        caption="Accounts with links in the campaign"
        rows={owners.slice(0, shown)}
        rowKey={({ address }) => address}
        columns={[
          {
            name: 'Account',
            cell: ({ address, handle }) => (
              <AddressLink address={address} to="distributors" name={handle ?? undefined} />
            ),
          },
          column.count('Links', 'links'),
          column.count('Sales its links made', 'sales'),
          column.count('Links under them', 'below'),
        ]}
      />
      {shown < owners.length && (
        <p className={styles.moreOwners}>
          <Button onClick={() => setShown(shown + PAGE)}>Show more</Button>
        </p>
      )}
      {partly && (
        <p className="soft">
          Counted over the {countOf(forest.nodes.size, 'link')} loaded above, of {count(nodeCount)}{' '}
          in the campaign.
        </p>
      )}
    </Card>
  );
}
