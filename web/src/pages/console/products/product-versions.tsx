import { useState } from 'react';
import { api, useApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import * as column from '../../../components/columns.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Facts } from '../../../components/facts.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import type { Unit } from '../../../format.ts';

interface Props {
  readonly productId: string;
  readonly token: Unit | null;
}

/** Published versions of a product: each sale shows the version that was sold. */
export function ProductVersions({ productId, token }: Props) {
  const [shown, setShown] = useState<number>();
  const pages = usePages(['versions.list'], api.versions.list, { id: productId, limit: 20 });
  return (
    <>
      <ListCard
        title="Versions"
        caption="Versions of this product"
        pages={pages}
        rowKey={({ version }) => `${version}`}
        empty="No version was published yet."
        columns={[
          {
            name: 'Version',
            cell: ({ version }) => (
              <Button quiet onClick={() => setShown(version)}>
                Version {version}
              </Button>
            ),
          },
          { name: 'Sold from', cell: ({ savedAt }) => <Time at={savedAt} /> },
          { name: 'Title', cell: ({ title }) => title },
          column.amountIn(token, 'Price', 'priceBaseUnits'),
          { name: 'Status', cell: ({ status }) => status },
        ]}
      />
      <Dialog
        title={`Version ${shown ?? ''}`}
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
      >
        {shown !== undefined && <Version productId={productId} version={shown} />}
      </Dialog>
    </>
  );
}

function Version({ productId, version }: { productId: string; version: number }) {
  const query = useApi(['versions.get'], api.versions.get, { id: productId, version });
  return (
    <Answered query={query} what="The version">
      {({ data }) => (
        <Facts
          facts={[
            ['Sold from', <Time key="at" at={data.savedAt} />],
            ['Title', data.title],
            ['Summary', data.summary],
            ['What the buyer gets', data.outcome],
            ['Category', data.category],
            ['Price', <Amount key="price" value={data.priceBaseUnits} token={data.token} />],
            ...data.variants.map(
              ({ id, name, priceBaseUnits }) =>
                [
                  `Variant ${name}`,
                  <Amount key={id} value={priceBaseUnits} token={data.token} />,
                ] as const,
            ),
            ['Refund terms', data.refundPolicy],
          ]}
        />
      )}
    </Answered>
  );
}
